import type { Schemas } from '../../api/client.ts'

export type StreamEvent = Schemas['StreamEvent']

/** The events of a streamed execute, as they come. Comments that keep the connection alive are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const frames = (rest + value).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const event = parseFrame(frame)
      if (event) yield event
    }
  }
}

/** One frame of an event stream; null where it carries no event of ours. */
export function parseFrame(frame: string): StreamEvent | null {
  const data = frame
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n')
  if (data === '') return null
  const event: unknown = JSON.parse(data)
  return isEvent(event) ? event : null
}

const TYPES = new Set(['text', 'capability_start', 'capability_end', 'done'])

function isEvent(value: unknown): value is StreamEvent {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  return typeof value.type === 'string' && TYPES.has(value.type)
}
