import type { StreamEvent } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import { stringifyJson } from './json-answer.ts'

const HEARTBEAT_MS = 15_000

/** An answer that is sent event by event. */
export interface EventStream {
  /** Returns a promise where the reader cannot take more at once. It resolves when the reader can, or is gone. */
  send(event: StreamEvent): Promise<void> | void
  end(): void
}

/** A streamed execution, for the API's description. */
export const STREAM_EXAMPLE = `event: text
data: {"type":"text","content":"Yes: Canvas Red, for 49.90."}

event: done
data: {"type":"done","executionId":"exec_1BnTtEXAMPLErun01","status":"completed"}

`

/** True when the caller asked for a stream. */
export function wantsStream(accept: string | undefined): boolean {
  const asked = (range: string) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))
  }
  return accept?.split(',').some(asked) ?? false
}

/** Turns the answer into a stream of server-sent events, with the headers that the reply has so far. */
export function openEventStream(reply: FastifyReply): EventStream {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  const heartbeat = setInterval(() => raw.write(': alive\n\n'), HEARTBEAT_MS)
  raw.once('close', () => clearInterval(heartbeat))
  return {
    send(event) {
      if (raw.destroyed) return undefined
      // Only the last event holds outputs, which are JSON text already.
      const data = event.type === 'done' ? stringifyJson(event) : JSON.stringify(event)
      return raw.write(`event: ${event.type}\ndata: ${data}\n\n`) ? undefined : writable(raw)
    },
    end() {
      clearInterval(heartbeat)
      raw.end()
    },
  }
}

function writable(raw: FastifyReply['raw']): Promise<void> {
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
