import type { Message, ToolResultPart } from '@svc/contract'
import type { UrlCheck } from './safe-url.ts'
import type { Output, Wait } from './snapshot.ts'
import { readSvcOutput } from './svc-output.ts'

export interface OutputReading {
  checkUrl: UrlCheck
  nowMs: number
}

const MOST_OUTPUTS = 12

/** What the results among these turns give to be shown. Those that are known stay as they are, with their waits. */
export function outputsOf(
  messages: readonly Message[],
  known: readonly Output[],
  reading: OutputReading,
): readonly Output[] {
  return messages
    .flatMap((message) => (message.role === 'tool' ? message.parts : []))
    .flatMap((result) => known.find(({ id }) => id === result.toolCallId) ?? outputOf(result, reading) ?? [])
    .slice(0, MOST_OUTPUTS)
}

function outputOf({ toolCallId, output, error }: ToolResultPart, { checkUrl, nowMs }: OutputReading): Output | null {
  if (error) return null
  const { cards, actions, pending } = readSvcOutput(output, checkUrl)
  if (cards.length + actions.length === 0 && pending === null) return null
  const wait: Wait | null = pending && { state: 'waiting', pending, deadlineAt: nowMs + pending.timeoutMs }
  return { id: toolCallId, cards, actions, wait }
}
