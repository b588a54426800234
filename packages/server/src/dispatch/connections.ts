import type { Socket } from 'node:net'
import { Agent, type buildConnector } from 'undici'
import { createGuardedConnector, type GuardOptions } from './endpoint-guard.ts'

/** A few dozen headers: what a hostile head may cost beyond its limit. */
export const CHUNK_BYTES = 4096
/** Chunks of all connections in one tick of the event loop, beside the first of each: about a millisecond of parsing. */
export const CHUNKS_PER_TICK = 64

type ReadableSocket = Pick<Socket, 'destroyed' | 'emit'>

export interface AgentOptions extends GuardOptions {
  /** Given each connection once it is open. */
  onConnect?: (socket: Socket) => void
}

/** The connection pool to endpoints. One call at a time on each connection. */
export function createAgent(options: AgentOptions): Agent {
  return new Agent({
    connect: boundReads(createGuardedConnector(options), options.onConnect),
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 5000,
    maxHeaderSize: 16 * 1024,
    // The deadline of the whole call covers slow bytes as well as silence.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/**
 * Lets undici read small chunks, and nothing of a destroyed connection. It would otherwise parse all that has arrived: one
 * error with a stack trace for each header past the limit, or megabytes of many endpoints in one tick.
 */
export function boundReads(
  connect: buildConnector.connector,
  onConnect?: AgentOptions['onConnect'],
): buildConnector.connector {
  const mayReadMore = createReadBudget()
  return (target, callback) =>
    connect(target, (...connected) => {
      const [, socket] = connected
      if (socket) {
        boundReadsOf(socket, mayReadMore)
        onConnect?.(socket)
      }
      callback(...connected)
    })
}

function boundReadsOf(socket: Socket, mayReadMore: (socket: ReadableSocket) => boolean): void {
  const read = socket.read.bind(socket)
  // The first chunk after “readable” is free: a small answer never waits.
  let isFirst = true
  socket.on('readable', () => {
    isFirst = true
  })
  socket.read = (size) => {
    if (socket.destroyed) return null
    // A read of an empty buffer goes through, since it asks for the next “readable”.
    if (socket.readableLength > 0 && !isFirst && !mayReadMore(socket)) return null
    isFirst = false
    return read(size ?? (Math.min(CHUNK_BYTES, socket.readableLength) || undefined))
  }
}

/** Shares {@link CHUNKS_PER_TICK} between connections. A refused connection gets a “readable” in the next tick. */
export function createReadBudget(): (socket: ReadableSocket) => boolean {
  const waiting = new Set<ReadableSocket>()
  let left = CHUNKS_PER_TICK
  const renew = () => {
    left = CHUNKS_PER_TICK
    const sockets = [...waiting]
    waiting.clear()
    for (const socket of sockets) if (!socket.destroyed) socket.emit('readable')
  }
  return (socket) => {
    if (left === CHUNKS_PER_TICK) setImmediate(renew)
    if (left > 0) {
      left -= 1
      return true
    }
    waiting.add(socket)
    return false
  }
}
