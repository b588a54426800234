import type { StreamEvent } from '@svc/contract'
import { createParser } from 'eventsource-parser'
import { ClientError } from './client-error.ts'
import type { Clock } from './clock.ts'
import { readEvent } from './read-event.ts'

export interface EventReading {
  clock: Clock
  /** A stream that is silent for longer is taken as lost. The service sends a sign of life every 15 s. */
  idleMs: number
  signal: AbortSignal | undefined
  requestId: string | null
}

// A “done” repeats every output of its execution.
const LONGEST_EVENT = 32 * 1024 * 1024

export interface NumberedEvent {
  /** 0 where the service gave none. */
  id: number
  event: StreamEvent
}

/** The events of a stream, of which `done` is the last. Throws `interrupted` when it ends before, or falls silent. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { clock, idleMs, signal, requestId }: EventReading,
): AsyncGenerator<NumberedEvent> {
  const events: NumberedEvent[] = []
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent({ data, id }) {
      const event = readEvent(data)
      if (event) events.push({ id: Number(id) || 0, event })
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const interrupted = (cause?: unknown) =>
    new ClientError('interrupted', 'The connection was lost before the answer was complete.', { requestId, cause })
  const onAbort = () => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', onAbort)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const callOff = clock.after(idleMs, () => void reader.cancel().catch(() => undefined))
      const { value, done } = await reader.read().finally(callOff)
      signal?.throwIfAborted()
      if (done) throw interrupted()
      parser.feed(decoder.decode(value, { stream: true }))
      for (const event of events.splice(0)) {
        yield event
        if (event.event.type === 'done') return
      }
    }
  } catch (error) {
    if (signal?.aborted || error instanceof ClientError) throw error
    throw interrupted(error)
  } finally {
    signal?.removeEventListener('abort', onAbort)
    void reader.cancel().catch(() => undefined)
  }
}
