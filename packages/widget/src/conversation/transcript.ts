import type { Message } from '@svc/contract'
import type { Exchange } from './exchange.ts'

// The service takes 200 messages and 1 MiB of them; older ones are left out well before.
const MOST_MESSAGES = 120
const MOST_CHARACTERS = 500_000

/**
 * What is sent with an exchange: the complete ones before it, as many of the latest as fit, from a question on, and then
 * its own. A broken exchange is left out, because half a turn would be refused.
 */
export function transcriptFor(earlier: readonly Exchange[], exchange: Exchange): Message[] {
  let [messages, characters] = [exchange.sent.length, charactersOf(exchange.sent)]
  const kept: Exchange[] = []
  for (const before of earlier.toReversed()) {
    if (before.answer.state !== 'completed') continue
    messages += before.sent.length + before.received.length
    characters += charactersOf(before.sent) + charactersOf(before.received)
    if (messages > MOST_MESSAGES || characters > MOST_CHARACTERS) break
    kept.unshift(before)
  }
  const start = kept.findIndex(({ question }) => question !== null)
  const whole = start === -1 ? [] : kept.slice(start)
  return [...whole.flatMap(({ sent, received }) => [...sent, ...received]), ...exchange.sent]
}

function charactersOf(messages: readonly Message[]): number {
  return JSON.stringify(messages).length
}
