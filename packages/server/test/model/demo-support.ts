import type { JsonObject, Message } from '@svc/contract'
import { demoModel } from '../../src/model/demo-model.ts'
import type { ModelEvent, ModelTool } from '../../src/model/model.ts'
import { requestOf, textOf } from './support.ts'

/** A Wednesday. */
export const NOW = Date.parse('2026-03-11T09:00:00Z')
export const DEMO_LINE = '[Demo model: rules, no language understanding]'

const model = demoModel({ clock: { now: () => NOW } })

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

export async function turnOf(messages: readonly Message[], tools: readonly ModelTool[]): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(requestOf({ messages, tools }))) events.push(event)
  return events
}

/** The call that the model makes, or what it says instead. */
export async function deed(messages: readonly Message[], tools: readonly ModelTool[]): Promise<unknown> {
  const events = await turnOf(messages, tools)
  const call = events.find((event) => event.type === 'tool_call')
  return call === undefined ? textOf(events) : [call.name, call.input]
}

export async function said(messages: readonly Message[], tools: readonly ModelTool[] = []): Promise<string> {
  return textOf(await turnOf(messages, tools))
}
