import type { Message } from '@svc/contract'
import type { Exchange } from './exchange.ts'

// The service takes 200 messages and 1 MiB of them; older ones are left out well before.
const MOST_MESSAGES = 120
const MOST_CHARACTERS = 500_000

/**
 * What is sent with an exchange: what was said and done before it, as many of the latest as fit, from a question on, and
 * then its own with what it had done already.
 */
export function transcriptFor(earlier: readonly Exchange[], exchange: Exchange): Message[] {
  const own = [...exchange.sent, ...exchange.received]
  let [messages, characters] = [own.length, charactersOf(own)]
  const kept: { isAsked: boolean; turns: readonly Message[] }[] = []
  for (const before of earlier.toReversed()) {
    const turns = turnsFor(before)
    if (turns.length === 0) continue
    messages += turns.length
    characters += charactersOf(turns)
    if (messages > MOST_MESSAGES || characters > MOST_CHARACTERS) break
    kept.unshift({ isAsked: before.question !== null, turns })
  }
  const start = kept.findIndex(({ isAsked }) => isAsked)
  const whole = start === -1 ? [] : kept.slice(start)
  return answeringTurns([...whole.flatMap(({ turns }) => turns), ...own])
}

// The result of an approved call may come long after the call, which may have been left out by then.
function answeringTurns(messages: readonly Message[]): Message[] {
  const called = new Set<string>()
  return messages.flatMap((message): Message[] => {
    if (message.role === 'assistant')
      for (const part of message.parts) if (part.type === 'tool_call') called.add(part.id)
    if (message.role !== 'tool') return [message]
    const parts = message.parts.filter(({ toolCallId }) => called.has(toolCallId))
    return parts.length > 0 ? [{ role: 'tool', parts }] : []
  })
}

// A question that nothing came of is left out. A result is known to the model, whatever became of its answer.
function turnsFor({ question, sent, received, answer }: Exchange): readonly Message[] {
  const { state, mayRepeat } = answer
  if (mayRepeat.length > 0) return [...sent, ...received, brokenOff(mayRepeat)]
  const isSaid = state === 'completed' || received.length > 0 || question === null
  return isSaid ? [...sent, ...received] : []
}

// Without it the question would read as one that nobody has begun to answer, and an order in it be placed again.
function brokenOff(names: readonly string[]): Message {
  const content = `(This answer broke off after calling ${names.join(', ')}. Whether it was done is not known.)`
  return { role: 'assistant', parts: [{ type: 'text', content }] }
}

/** The turns up to the last one that leaves no call without its result: a talk can go on from there. */
export function settledTurns(messages: readonly Message[]): readonly Message[] {
  const open = new Set<string>()
  let whole = 0
  for (const [index, { role, parts }] of messages.entries()) {
    for (const part of parts) {
      if (part.type === 'tool_call') open.add(part.id)
      if (part.type === 'tool_result') open.delete(part.toolCallId)
    }
    if (role === 'tool' && open.size === 0) whole = index + 1
  }
  return messages.slice(0, whole)
}

function charactersOf(messages: readonly Message[]): number {
  return JSON.stringify(messages).length
}
