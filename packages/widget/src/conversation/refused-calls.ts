import type { Message, ToolResultPart } from '@svc/contract'
import { safeLine } from './safe-text.ts'
import type { SignIn } from './snapshot.ts'

/** Calls among these turns that were refused for want of an end user and not done since; null where there are none. They have not run. */
export function signInOf(turns: readonly Message[]): SignIn | null {
  const results = turns.flatMap((turn) => (turn.role === 'tool' ? turn.parts : []))
  const done = new Set(results.flatMap(({ name, error }) => (error ? [] : [name])))
  const refused = results.filter((result) => isRefused(result) && !done.has(result.name))
  if (refused.length === 0) return null
  const capabilities = [...new Set(refused.map(({ name }) => safeLine(name, 64)))]
  return { state: 'needed', callIds: refused.map(({ toolCallId }) => toolCallId), capabilities }
}

/** The turns as if these calls had not been made, up to the last result. */
export function turnsWithout(turns: readonly Message[], callIds: ReadonlySet<string>): Message[] {
  const kept = turns.flatMap((turn): Message[] => {
    if (turn.role === 'tool') {
      const parts = turn.parts.filter(({ toolCallId }) => !callIds.has(toolCallId))
      return parts.length > 0 ? [{ role: 'tool', parts }] : []
    }
    if (turn.role !== 'assistant') return [turn]
    const parts = turn.parts.filter((part) => part.type !== 'tool_call' || !callIds.has(part.id))
    return parts.length > 0 ? [{ role: 'assistant', parts }] : []
  })
  return kept.slice(0, kept.findLastIndex(({ role }) => role === 'tool') + 1)
}

function isRefused({ error }: ToolResultPart): boolean {
  return error?.code === 'end_user_required'
}
