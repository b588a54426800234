import type { ExecuteResponse, Message, StreamEvent, ToolResultPart } from '@svc/contract'
import { type Problem, problem } from './problem.ts'
import { safeLine, safeText } from './safe-text.ts'
import type { UrlCheck } from './safe-url.ts'
import type { AssistantTurn, Block, Output, Turn, UserTurn, Wait } from './snapshot.ts'
import { type Pending, readSvcOutput } from './svc-output.ts'

/** What was sent, a question or a result that had been waited for, and the answer to it. Replaced, never changed. */
export interface Exchange {
  readonly question: UserTurn | null
  readonly sent: readonly Message[]
  /** The turns that the answer added; empty until it is complete. */
  readonly received: readonly Message[]
  readonly answer: AssistantTurn
}

// What is shown of one answer, however much was sent.
const LONGEST_TEXT = 100_000
const MOST_BLOCKS = 200
const MOST_OUTPUTS = 12

export function askedExchange(id: string, text: string): Exchange {
  const question: UserTurn = { role: 'user', id: `${id}-q`, text: safeText(text, LONGEST_TEXT) }
  const sent: Message[] = [{ role: 'user', parts: [{ type: 'text', content: text }] }]
  return { question, sent, received: [], answer: emptyAnswer(id) }
}

/** The exchange in which the model is told of a result: an ordinary call, with its answer. */
export function toldExchange(id: string, told: { callId: string; pending: Pending; output: unknown }): Exchange {
  const { callId, pending, output } = told
  const sent: Message[] = [
    { role: 'assistant', parts: [{ type: 'tool_call', id: callId, name: pending.capability, input: pending.input }] },
    { role: 'tool', parts: [{ type: 'tool_result', toolCallId: callId, name: pending.capability, output }] },
  ]
  return { question: null, sent, received: [], answer: emptyAnswer(id) }
}

function emptyAnswer(id: string): AssistantTurn {
  return { role: 'assistant', id, state: 'running', blocks: [], outputs: [], problem: null, isCut: false }
}

/** The same exchange, asked anew. */
export function restarted(exchange: Exchange): Exchange {
  return { ...exchange, received: [], answer: emptyAnswer(exchange.answer.id) }
}

export function turnsOf({ question, answer }: Exchange): Turn[] {
  return question ? [question, answer] : [answer]
}

/** The exchange after an event of its stream other than `done`. */
export function heard(exchange: Exchange, event: Exclude<StreamEvent, { type: 'done' }>): Exchange {
  const { answer } = exchange
  return { ...exchange, answer: { ...answer, blocks: withEvent(answer, event) } }
}

function withEvent({ id, blocks }: AssistantTurn, event: Exclude<StreamEvent, { type: 'done' }>): readonly Block[] {
  if (event.type === 'capability_end') {
    const state = event.error ? 'failed' : 'completed'
    return blocks.map((block) =>
      block.type === 'capability' && block.id === event.callId
        ? { ...block, state, durationMs: event.durationMs }
        : block,
    )
  }
  const last = blocks.at(-1)
  if (event.type === 'text' && last?.type === 'text') {
    if (last.text.length >= LONGEST_TEXT) return blocks
    return [...blocks.slice(0, -1), { ...last, text: `${last.text}${event.content}`.slice(0, LONGEST_TEXT) }]
  }
  if (blocks.length >= MOST_BLOCKS) return blocks
  if (event.type === 'text') return [...blocks, textBlock(`${id}-${blocks.length}`, event.content)]
  const name = safeLine(event.capability, 64)
  return [...blocks, { type: 'capability', id: event.callId, name, state: 'running', durationMs: null }]
}

function textBlock(id: string, text: string): Block {
  return { type: 'text', id, text: text.slice(0, LONGEST_TEXT) }
}

interface Ending {
  checkUrl: UrlCheck
  nowMs: number
}

/** The exchange whose answer has come to its end, completed or failed. */
export function ended(exchange: Exchange, response: ExecuteResponse, ending: Ending): Exchange {
  if (response.status === 'failed') {
    const facts = { detail: response.error?.message ?? null, referenceId: response.executionId }
    return failed(exchange, problem(response.finishReason === 'cancelled' ? 'interrupted' : 'failed', facts))
  }
  return completed(exchange, response.messages, { ...ending, isCut: response.finishReason === 'length' })
}

/** The exchange with a complete answer; what was not streamed is taken from its messages. */
export function completed(
  exchange: Exchange,
  received: readonly Message[],
  { checkUrl, nowMs, isCut }: Ending & { isCut: boolean },
): Exchange {
  const { answer } = exchange
  const blocks = answer.blocks.some(({ type }) => type === 'text') ? answer.blocks : blocksOf(answer, received)
  const outputs = [...exchange.sent, ...received]
    .flatMap((message) => (message.role === 'tool' ? message.parts : []))
    .flatMap((result) => outputOf(result, { checkUrl, nowMs }) ?? [])
    .slice(0, MOST_OUTPUTS)
  return { ...exchange, received, answer: { ...answer, state: 'completed', blocks, outputs, isCut } }
}

export function failed(exchange: Exchange, reason: Problem): Exchange {
  const blocks = exchange.answer.blocks.map((block) =>
    block.type === 'capability' && block.state === 'running' ? { ...block, state: 'failed' as const } : block,
  )
  return { ...exchange, answer: { ...exchange.answer, state: 'failed', blocks, problem: reason } }
}

function blocksOf({ id, blocks }: AssistantTurn, messages: readonly Message[]): readonly Block[] {
  if (blocks.length > 0) return [...blocks, ...textsOf(messages, id)]
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.parts : []))
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .slice(0, MOST_BLOCKS)
    .map((part, index): Block => {
      if (part.type === 'text') return textBlock(`${id}-${index}`, part.content)
      const isFailed = results.some(({ toolCallId, error }) => toolCallId === part.id && error)
      const state = isFailed ? 'failed' : 'completed'
      return { type: 'capability', id: part.id, name: safeLine(part.name, 64), state, durationMs: null }
    })
}

function textsOf(messages: readonly Message[], id: string): Block[] {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .flatMap((part, index) => (part.type === 'text' ? [textBlock(`${id}-t${index}`, part.content)] : []))
}

function outputOf({ toolCallId, output, error }: ToolResultPart, { checkUrl, nowMs }: Ending): Output | null {
  if (error) return null
  const { cards, actions, pending } = readSvcOutput(output, checkUrl)
  if (cards.length + actions.length === 0 && pending === null) return null
  const wait: Wait | null = pending && { state: 'waiting', pending, deadlineAt: nowMs + pending.timeoutMs }
  return { id: toolCallId, cards, actions, wait }
}

/** The exchange with another state of one output’s wait. */
export function withWait(exchange: Exchange, outputId: string, wait: Wait): Exchange {
  const outputs = exchange.answer.outputs.map((output) => (output.id === outputId ? { ...output, wait } : output))
  return { ...exchange, answer: { ...exchange.answer, outputs } }
}
