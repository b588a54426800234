import type { JsonObject, Message, StreamEvent } from '@svc/contract'
import {
  type AssistantTurn,
  type CapabilityResult,
  type ConversationOptions,
  type ConversationStorage,
  createConversation,
} from '@svc/widget'
import { eventsOf } from './answers.ts'
import { createTestClock, createTestVisibility } from './test-clock.ts'

export type Script = StreamEvent[] | Error | ((signal: AbortSignal | undefined) => AsyncIterable<StreamEvent>)

/** These events, one by one. */
export async function* each(events: readonly StreamEvent[]): AsyncGenerator<StreamEvent> {
  for (const event of events) yield event
}

/** Yields these, and then nothing until it is aborted. */
export function hanging(
  events: readonly StreamEvent[],
): (signal: AbortSignal | undefined) => AsyncIterable<StreamEvent> {
  return async function* (signal) {
    yield* each(events)
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  }
}

/** Among polls: no answer ever. */
export const NEVER = Symbol('never')

interface Setup {
  answers?: Script[]
  /** Outputs, refusals, and `NEVER` for a connection that hangs. */
  polls?: (unknown | Error)[]
  storage?: ConversationStorage
  runStorage?: ConversationStorage
  hasEndUser?: () => Promise<boolean>
}

/** A conversation whose client answers as scripted, and everything that was asked of it. */
export function start({ answers = [], polls = [], storage, runStorage, hasEndUser }: Setup) {
  const clock = createTestClock()
  const visibility = createTestVisibility()
  const sent: Message[][] = []
  const polled: { capability: string; input: JsonObject }[] = []
  let ids = 0
  const client: ConversationOptions['client'] = {
    async stream({ messages, signal }) {
      sent.push(structuredClone([...messages]))
      const answer = answers.shift() ?? eventsOf('Yes.')
      if (answer instanceof Error) throw answer
      return { requestId: 'req_1', events: Array.isArray(answer) ? each(answer) : answer(signal) }
    },
    ...(hasEndUser && { hasEndUser }),
    async callCapability({ capability, input }): Promise<CapabilityResult> {
      polled.push({ capability, input })
      const output = polls.length > 1 ? polls.shift() : polls[0]
      if (output instanceof Error) throw output
      if (output === NEVER) return new Promise(() => undefined)
      return { executionId: 'exec_p', output, error: null, durationMs: 1 }
    },
  }
  const conversation = createConversation({
    client,
    clock,
    visibility,
    newId: (prefix) => `${prefix}_${ids++}`,
    ...(storage && { storage }),
    ...(runStorage && { runStorage }),
  })
  conversation.resume()
  const answer = () =>
    conversation.getSnapshot().turns.findLast((turn): turn is AssistantTurn => turn.role === 'assistant')
  return { conversation, clock, visibility, sent, polled, answer }
}

/** A storage that keeps its text where the test sees it. */
export function memory(initial: string | null = null): ConversationStorage & { text: string | null } {
  return {
    text: initial,
    load() {
      return this.text
    },
    save(text) {
      this.text = text
    },
    clear() {
      this.text = null
    },
  }
}

export const PENDING = {
  capability: 'order-status',
  input: { orderNumber: 'ORD-1' },
  intervalMs: 2000,
  timeoutMs: 60_000,
}
export const ORDERED = eventsOf('Please pay.', [
  {
    capability: 'place-order',
    output: {
      orderNumber: 'ORD-1',
      svc: { pending: PENDING, actions: [{ type: 'link', label: 'Pay', url: 'https://shop.example.com/pay' }] },
    },
  },
])
export const OPEN = { status: 'open', svc: { settled: false } }
export const PAID = { status: 'paid', svc: { settled: true } }

export const user = (content: string): Message => ({ role: 'user', parts: [{ type: 'text', content }] })
export const assistant = (content: string): Message => ({ role: 'assistant', parts: [{ type: 'text', content }] })
