import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { StreamEvent } from '@svc/contract'

/** What resumes an execution. */
export interface Run {
  executionId: string
  resumeKey: string
}

/** An answer as it comes over the wire. */
export interface StreamedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** What its first event told; null before. */
  readonly run: Run | null
  /** The id of the latest event; 0 before the first. */
  readonly lastId: number
  /** The next event after `execution`; null at the end of the stream. Rejects when the stream breaks off. */
  next(): Promise<StreamEvent | null>
  /** Every event from here to the end. */
  rest(): Promise<StreamEvent[]>
  /** The next block, a comment or an event, as it stands on the wire; null at the end. */
  nextBlock(): Promise<string | null>
  /** Closes the connection. */
  leave(): void
}

/** Posts JSON on a connection of its own and reads the answer event by event. */
export function openStream(url: string, options: { key: string; body: unknown }): Promise<StreamedAnswer> {
  return readStream(post(url, { ...options, accept: 'text/event-stream' }), 0)
}

/** Resumes a run at the service of this address, after event `after`. */
export function resumeStream(
  url: string,
  { key, run, after = 0 }: { key: string; run: Run; after?: number },
): Promise<StreamedAnswer> {
  const headers = { authorization: `Bearer ${key}`, 'x-svc-resume-key': run.resumeKey, 'last-event-id': String(after) }
  const path = `/v1/runtime/executions/${run.executionId}/events`
  const request = httpRequest(`${url}${path}`, { headers, agent: false })
  request.end()
  return readStream({ request, response: responseTo(request) }, after)
}

async function readStream(
  { request, response }: { request: ClientRequest; response: Promise<IncomingMessage> },
  after: number,
): Promise<StreamedAnswer> {
  const answer = await response
  const seen: { run: Run | null; lastId: number } = { run: null, lastId: after }
  const blocks = blocksOf(answer)
  const nextBlock = async () => (await blocks.next()).value ?? null
  const inOrder = createOrderCheck(after)
  const next = async (): Promise<StreamEvent | null> => {
    for (let block = await nextBlock(); block !== null; block = await nextBlock()) {
      if (block.startsWith(':')) continue
      const { id, event } = parseEvent(block)
      inOrder(id, event)
      seen.lastId = id
      if (event.type !== 'execution') return event
      seen.run = { executionId: event.executionId, resumeKey: event.resumeKey }
    }
    return null
  }
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    get run() {
      return seen.run
    },
    get lastId() {
      return seen.lastId
    },
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

/** Throws where an event is not the next one, or where the first is not the one that names the execution. */
function createOrderCheck(after: number): (id: number, event: StreamEvent) => void {
  let lastId = after
  let hasGap = false
  return (id, { type }) => {
    const isNext = id === lastId + 1 || type === 'gap' || (hasGap && type === 'done')
    if (!isNext) throw new Error(`event ${id} follows event ${lastId}`)
    if ((id === 1) !== (type === 'execution')) throw new Error(`event ${id} is ${type}`)
    hasGap ||= type === 'gap'
    lastId = id
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
  request.end(JSON.stringify(body))
  return { request, response: responseTo(request) }
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
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

// Exactly three lines: the id, the name, and one JSON object that repeats the name.
function parseEvent(block: string): { id: number; event: StreamEvent } {
  const [id, name, content, ...more] = block.split('\n')
  if (!id?.startsWith('id: ') || !name?.startsWith('event: ') || !content?.startsWith('data: ') || more.length > 0) {
    throw new Error(`not an event: ${block}`)
  }
  const sent: unknown = JSON.parse(content.slice('data: '.length))
  const event = StreamEvent.parse(sent)
  // The parse drops what it does not know: nothing may have been sent that is not described.
  if (!isDeepStrictEqual(sent, event)) throw new Error(`the event holds more than is described: ${content}`)
  if (name !== `event: ${event.type}`) throw new Error(`the event ${name} says it is ${event.type}`)
  return { id: Number(id.slice('id: '.length)), event }
}
