import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

const HEARTBEAT_MS = 15_000

export type EventStream = ReturnType<typeof openEventStream>

/** A streamed execution, for the API's description. */
export const STREAM_EXAMPLE = `id: 1
event: execution
data: {"type":"execution","executionId":"exec_1BnTtEXAMPLErun01","resumeKey":"5f0c…"}

id: 2
event: text
data: {"type":"text","content":"Yes: Canvas Red, for 49.90."}

id: 3
event: done
data: {"type":"done","executionId":"exec_1BnTtEXAMPLErun01","status":"completed"}

`

export function wantsStream(accept: string | undefined): boolean {
  const asked = (range: string) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))
  }
  return accept?.split(',').some(asked) ?? false
}

/**
 * Begins a stream of server-sent events with the headers that the reply has so far. Returns the response, for its bytes. The
 * head is sent with the first of them.
 */
export function beginEventStream(reply: FastifyReply): ServerResponse {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  return raw
}

/** The same, with a comment every 15 s, so that no proxy takes the connection for idle. */
export function openEventStream(reply: FastifyReply) {
  const raw = beginEventStream(reply)
  const heartbeat = setInterval(() => raw.write(': alive\n\n'), HEARTBEAT_MS)
  if (raw.destroyed) clearInterval(heartbeat)
  raw.once('close', () => clearInterval(heartbeat))
  let waiting: Promise<void> | undefined
  return {
    get isGone(): boolean {
      return raw.destroyed
    },
    write: (frame: string): boolean => raw.write(frame),
    writable(): Promise<void> {
      waiting ??= writable(raw).finally(() => {
        waiting = undefined
      })
      return waiting
    },
    end(): void {
      clearInterval(heartbeat)
      raw.end()
    },
  }
}

function writable(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (raw.destroyed) return resolve()
    const done = () => {
      raw.off('drain', done)
      raw.off('close', done)
      resolve()
    }
    raw.once('drain', done)
    raw.once('close', done)
  })
}
