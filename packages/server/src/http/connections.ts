import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { InFlight } from '../admission/in-flight.ts'
import { networkOf } from '../lib/network.ts'
import type { HttpDeps } from './deps.ts'
import { IPV6_BITS } from './request-state.ts'

/** The maximum of pipelined answers of one connection: each is held in memory until it is sent. */
const MAX_PENDING = 8
/** A connection is closed if its reader takes no bytes of an answer for this long: the answer would stay in memory. */
export const STALL_MS = 30_000

const pending = new WeakMap<Socket, Set<ServerResponse>>()

/** Limits connections, and closes those of stalled readers. The server's `timeout` must be {@link STALL_MS}. */
export function limitConnections(
  app: FastifyInstance,
  { limits: { connections }, proxyHops }: Pick<HttpDeps, 'limits' | 'proxyHops'>,
): void {
  app.server.maxConnections = connections
  // Behind a proxy all connections come from the proxy's network.
  if (proxyHops === 0) shareConnections(app.server, connections)
  // Nothing was sent or received for a while: the connection is idle, its request runs, or its reader has stalled.
  app.server.on('timeout', (socket: Socket) => {
    const [next] = pendingOn(socket)
    if (next === undefined || next.headersSent) socket.destroy()
  })
}

/** Closes a new connection of a network that has as many open as are still free: at most half are one network's. */
function shareConnections(server: Server, maximum: number): void {
  const shares = new InFlight({ executions: maximum, heldBytes: 0 })
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '', IPV6_BITS.share)
    if (shares.executionShortage(network)) return void socket.destroy()
    shares.add(network, { executions: 1 })
    socket.once('close', () => shares.add(network, { executions: -1 }))
  })
}

/** Tracks an answer until it closes, then calls back. False, and not tracked, where too many are pending already. */
export function trackAnswer(answer: ServerResponse, onClose = () => {}): boolean {
  const { req: request } = answer
  const answers = pendingOn(request.socket)
  if (answers.size >= MAX_PENDING) return false
  answers.add(answer)
  answer.once('close', () => {
    // An answer may end before its request has arrived whole: invalid bytes still belong to that request.
    if (request.complete) answers.delete(answer)
    else request.once('close', () => answers.delete(answer))
    onClose()
  })
  return true
}

/** True where a 400 may be written for invalid bytes: a client must not take it for the answer to a pending request. */
export function mayAnswerParseError(socket: Socket): boolean {
  if (!socket.writable) return false
  for (const answer of pending.get(socket) ?? []) {
    const { complete } = answer.req
    if (!answer.writableFinished || !complete) return !answer.headersSent && !complete
  }
  return true
}

function pendingOn(socket: Socket): Set<ServerResponse> {
  const known = pending.get(socket)
  if (known) return known
  const answers = new Set<ServerResponse>()
  pending.set(socket, answers)
  // Node closes only the answer whose turn it is. Those behind it never had a socket.
  socket.once('close', () => {
    for (const answer of answers) {
      if (answer.socket !== null || answer.closed) continue
      answer.destroy()
      answer.emit('close')
    }
  })
  return answers
}
