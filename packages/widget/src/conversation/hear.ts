import type { Message, StreamEvent } from '@svc/contract'
import { safeLine } from './safe-text.ts'
import type { AssistantTurn, Block } from './snapshot.ts'

/** The characters shown of one text, however much was sent. */
export const LONGEST_TEXT = 100_000
const MOST_BLOCKS = 200

/** The blocks of an answer after an event of its stream other than `done`. */
export function withEvent(
  { id, blocks }: AssistantTurn,
  event: Exclude<StreamEvent, { type: 'done' }>,
): readonly Block[] {
  // An approval stands in `done`, too, which comes right after it.
  if (event.type === 'execution' || event.type === 'gap' || event.type === 'approval_required') return blocks
  if (event.type === 'capability_end') {
    const state = event.error ? (event.outcome ?? 'failed') : 'completed'
    return blocks.map((block) =>
      block.type === 'capability' && block.id === event.callId
        ? { ...block, state, durationMs: event.durationMs, detail: event.error ? lineOf(event.error.message) : null }
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
  return [...blocks, { type: 'capability', id: event.callId, name, state: 'running', durationMs: null, detail: null }]
}

/** The blocks of an answer together with those of its turns that were not streamed. */
export function withUnheard({ id, blocks }: AssistantTurn, messages: readonly Message[]): readonly Block[] {
  if (blocks.some(({ type }) => type === 'text')) return blocks
  if (blocks.length > 0) return [...blocks, ...textsOf(messages, id)]
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.parts : []))
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .slice(0, MOST_BLOCKS)
    .map((part, index): Block => {
      if (part.type === 'text') return textBlock(`${id}-${index}`, part.content)
      const error = results.find(({ toolCallId }) => toolCallId === part.id)?.error
      const end = { state: error ? 'failed' : 'completed', detail: error ? lineOf(error.message) : null } as const
      return { type: 'capability', id: part.id, name: safeLine(part.name, 64), durationMs: null, ...end }
    })
}

/** The names of the calls whose result is not among these turns. */
export function unansweredIn(blocks: readonly Block[], messages: readonly Message[]): string[] {
  const answered = answeredIn(messages)
  return blocks.flatMap((block) => (block.type === 'capability' && !answered.has(block.id) ? [block.name] : []))
}

function answeredIn(messages: readonly Message[]): ReadonlySet<string> {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.parts : []))
  return new Set(results.map(({ toolCallId }) => toolCallId))
}

/** The blocks up to the last call whose result is among these turns: what came after it is said anew. */
export function untilLastResult(blocks: readonly Block[], messages: readonly Message[]): readonly Block[] {
  const answered = answeredIn(messages)
  return blocks.slice(0, blocks.findLastIndex(({ type, id }) => type === 'capability' && answered.has(id)) + 1)
}

function textBlock(id: string, text: string): Block {
  return { type: 'text', id, text: text.slice(0, LONGEST_TEXT) }
}

function textsOf(messages: readonly Message[], id: string): Block[] {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .flatMap((part, index) => (part.type === 'text' ? [textBlock(`${id}-t${index}`, part.content)] : []))
}

function lineOf(text: string): string {
  return safeLine(text, 300)
}
