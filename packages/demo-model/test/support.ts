import type { JsonObject, Message } from '@svc/contract'
import { type Tool, takeTurn } from '@svc/demo-model'

export const DEMO_LINE = '[Demo model: rules, no language understanding]'

export const user = (content: string): Message => ({ role: 'user', parts: [{ type: 'text', content }] })
export const assistant = (content: string): Message => ({ role: 'assistant', parts: [{ type: 'text', content }] })

/** A call and its result, as the loop would have written them. */
export function called(name: string, input: JsonObject, result: { output: unknown } | { error: string }): Message[] {
  const shared = { type: 'tool_result', toolCallId: 'call_1', name } as const
  const part =
    'error' in result
      ? { ...shared, output: null, error: { message: result.error } }
      : { ...shared, output: result.output }
  return [
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name, input }] },
    { role: 'tool', parts: [part] },
  ]
}

/** The call that the model makes, or what it says instead. */
export function deed(messages: readonly Message[], tools: readonly Tool[]): unknown {
  const turn = takeTurn({ messages, tools })
  return turn.type === 'call' ? [turn.name, turn.input] : turn.text
}

export function said(messages: readonly Message[], tools: readonly Tool[] = []): string {
  return String(deed(messages, tools))
}
