import { describe, expect, test } from 'vitest'
import { readEvents } from '../public/sse.js'

const EVENTS = [
  { type: 'text', content: 'Grüße, das sind „2“ Zeilen\nText. 🙂' },
  { type: 'capability_start', callId: 'call_1', capability: 'search-products' },
  { type: 'done', status: 'completed' },
]

function body(bytes: Uint8Array, cuts: number[]): ReadableStream<Uint8Array> {
  const edges = [0, ...cuts, bytes.length]
  return new ReadableStream({
    start(controller) {
      for (const [index, end] of edges.slice(1).entries()) controller.enqueue(bytes.slice(edges[index], end))
      controller.close()
    },
  })
}

async function read(stream: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of readEvents(stream)) events.push(event)
  return events
}

describe('the page’s reader of event streams', () => {
  test.each(['\n', '\r\n'])(
    'gives every event wherever the stream is cut into pieces, with line ends %j',
    async (end) => {
      const text = EVENTS.map(
        (event) => `: alive${end}${end}event: ${event.type}${end}data: ${JSON.stringify(event)}${end}${end}`,
      )
      const bytes = new TextEncoder().encode(text.join(''))
      for (let cut = 1; cut < bytes.length; cut += 1) expect(await read(body(bytes, [cut]))).toEqual(EVENTS)
      const everyByte = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
      expect(await read(body(bytes, everyByte))).toEqual(EVENTS)
    },
  )

  test('drops an event that was cut off at the end', async () => {
    const bytes = new TextEncoder().encode('data: {"type":"text","content":"a"}\n\ndata: {"type":"text","con')
    expect(await read(body(bytes, []))).toEqual([{ type: 'text', content: 'a' }])
  })

  test('joins the lines of one event', async () => {
    const bytes = new TextEncoder().encode('data: {"type":\ndata:"text"}\n\n')
    expect(await read(body(bytes, []))).toEqual([{ type: 'text' }])
  })
})
