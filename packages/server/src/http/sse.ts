import type { ServerResponse } from 'node:http'
import type { StreamEvent } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import { jsonPieces, needsPieces } from './json-pieces.ts'

const HEARTBEAT_MS = 15_000

/** An answer that is sent event by event. */
export interface EventStream {
  /** A promise where the reader cannot take more at once: it resolves when the reader can, or is gone. */
  send(event: StreamEvent): Promise<void> | void
  end(): void
}

/** True when the caller asked for a stream. */
export function wantsStream(accept: string | undefined): boolean {
  const asked = (range: string) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))
  }
  return accept?.split(',').some(asked) ?? false
}

/** Turns the answer into a stream of server-sent events, with the headers that the reply has gathered so far. */
export function openEventStream(reply: FastifyReply): EventStream {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...definedHeaders(reply),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  let isWithinEvent = false
  const heartbeat = setInterval(() => isWithinEvent || raw.write(': alive\n\n'), HEARTBEAT_MS)
  raw.once('close', () => clearInterval(heartbeat))
  const sendPieces = async (event: StreamEvent) => {
    isWithinEvent = true
    for (const piece of framed(event)) {
      if (!raw.write(piece)) await writable(raw)
      if (raw.destroyed) return
    }
    isWithinEvent = false
  }
  return {
    send(event) {
      if (raw.destroyed) return undefined
      if (needsPieces(event)) return sendPieces(event)
      const isTaken = raw.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      return isTaken ? undefined : writable(raw)
    },
    end() {
      clearInterval(heartbeat)
      raw.end()
    },
  }
}

// “done” repeats all that was said: written whole, it would be in memory once more as JSON, and once more as an event.
function* framed(event: StreamEvent): Generator<string> {
  yield `event: ${event.type}\ndata: `
  yield* jsonPieces(event)
  yield '\n\n'
}

function writable(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done)
      raw.off('close', done)
      resolve()
    }
    raw.once('drain', done)
    raw.once('close', done)
  })
}

function definedHeaders(reply: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) headers[name] = String(value)
  }
  return headers
}
