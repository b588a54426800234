import { type ExecuteResponse, type Message, StreamEvent } from '@svc/contract'
import { send, type Teller } from '@svc/example-kit'
import { createParser } from 'eventsource-parser'

export interface Question {
  baseUrl: string
  publicKey: string
  /** Blank where the model is to go on from what was said before. */
  text: string
  /** The earlier messages, with the results of approved calls. */
  before?: readonly Message[]
  /** The shop's own session of a signed-in customer. */
  endUserToken?: string
}

/** Asks through execute as a page does, and tells the answer as it streams in. Returns what the stream ended with. */
export async function ask(tell: Teller, question: Question): Promise<ExecuteResponse> {
  const { baseUrl, publicKey, text, before = [], endUserToken } = question
  const messages = text === '' ? before : [...before, userSays(text)]
  const body = { messages, ...(endUserToken !== undefined && { endUserToken }) }
  const accept = { accept: 'text/event-stream' }
  const response = await send(`${baseUrl}/v1/runtime/execute`, { method: 'POST', key: publicKey, body }, accept)
  if (!response.ok || !response.body) throw new Error(`execute answered ${response.status}: ${await response.text()}`)
  const narrate = createNarrator(tell)
  for await (const event of streamEvents(response.body)) {
    narrate(event)
    if (event.type === 'done') return event
  }
  throw new Error('the stream ended without “done”')
}

export function userSays(content: string): Message {
  return { role: 'user', parts: [{ type: 'text', content }] }
}

// Text comes in pieces, so a line of it is only ended when something else follows.
function createNarrator(tell: Teller): (event: StreamEvent) => void {
  let isSpeaking = false
  return (event) => {
    if (event.type === 'text') {
      tell.text(event.content)
      isSpeaking = true
      return
    }
    if (isSpeaking) tell.text('\n')
    isSpeaking = false
    if (event.type === 'capability_start') tell.line(`… the model calls ${event.capability}`)
    if (event.type === 'approval_required') tell.line(`… ${event.capability} waits: “${event.preview.title}”`)
    if (event.type === 'capability_end') tell.line(`… ${event.capability} ${ending(event)}`)
  }
}

async function* streamEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const events: StreamEvent[] = []
  const parser = createParser({ onEvent: ({ data }) => events.push(StreamEvent.parse(JSON.parse(data))) })
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}

function ending(event: Extract<StreamEvent, { type: 'capability_end' }>): string {
  return event.error
    ? `${event.outcome ?? 'failed'}: ${event.error.message}`
    : `answered in ${Math.round(event.durationMs)} ms`
}
