import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { StreamEvent } from '@svc/contract'

/** An answer as it comes over the wire. */
export interface StreamedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The next event; null at the end of the stream. Rejects when the stream breaks off. */
  next(): Promise<StreamEvent | null>
  /** Every event from here to the end. */
  rest(): Promise<StreamEvent[]>
  /** The next block, a comment or an event, as it stands on the wire; null at the end. */
  nextBlock(): Promise<string | null>
  /** Closes the connection. */
  leave(): void
}

/** Posts JSON on a connection of its own and reads the answer event by event. */
export async function openStream(url: string, options: { key: string; body: unknown }): Promise<StreamedAnswer> {
  const { request, response } = post(url, { ...options, accept: 'text/event-stream' })
  const answer = await response
  const blocks = blocksOf(answer)
  const nextBlock = async () => (await blocks.next()).value ?? null
  const next = async (): Promise<StreamEvent | null> => {
    for (let block = await nextBlock(); block !== null; block = await nextBlock()) {
      if (!block.startsWith(':')) return parseEvent(block)
    }
    return null
  }
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    next,
    async rest() {
      const events: StreamEvent[] = []
      for (let event = await next(); event !== null; event = await next()) events.push(event)
      return events
    },
    nextBlock,
    leave: () => void request.destroy(),
  }
}

interface PostOptions {
  key?: string
  body: unknown
  accept?: string
  headers?: Readonly<Record<string, string>>
}

/** Posts JSON on a connection of its own, which `destroy` closes. The answer is not read by itself. */
export function post(
  url: string,
  { key, body, accept = 'application/json', headers: more = {} }: PostOptions,
): { request: ClientRequest; response: Promise<IncomingMessage> } {
  const headers = {
    'content-type': 'application/json',
    accept,
    ...(key && { authorization: `Bearer ${key}` }),
    ...more,
  }
  const request = httpRequest(url, { method: 'POST', headers, agent: false })
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  request.end(JSON.stringify(body))
  return { request, response }
}

async function* blocksOf(response: IncomingMessage): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response) {
    text += decoder.decode(bytes, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield text.slice(0, end)
      text = text.slice(end + 2)
    }
  }
  if (text !== '') throw new Error(`the stream ended inside an event: ${text}`)
}

// Exactly two lines, the name and one JSON object that repeats it.
function parseEvent(block: string): StreamEvent {
  const [name, content, ...more] = block.split('\n')
  if (!name?.startsWith('event: ') || !content?.startsWith('data: ') || more.length > 0) {
    throw new Error(`not an event: ${block}`)
  }
  const sent: unknown = JSON.parse(content.slice('data: '.length))
  const event = StreamEvent.parse(sent)
  // The parse drops what it does not know: nothing may have been sent that is not described.
  if (!isDeepStrictEqual(sent, event)) throw new Error(`the event holds more than is described: ${content}`)
  if (name !== `event: ${event.type}`) throw new Error(`the event ${name} says it is ${event.type}`)
  return event
}
