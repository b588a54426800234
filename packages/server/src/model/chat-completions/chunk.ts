import { isJsonObject } from '@svc/contract'
import { z } from 'zod'

// Servers of this dialect differ in their other fields: only those that we read are checked.
const Text = z.string().nullable().default(null)
// A few servers send arguments as a JSON object instead of its text.
const Arguments = z.union([Text, z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value))])
const ToolCallDelta = z.object({
  index: z.number().nullable().default(null),
  id: Text,
  function: z.object({ name: Text, arguments: Arguments }),
})
export type ToolCallDelta = z.infer<typeof ToolCallDelta>

// Reasoning models, such as Mistral's, may send a list of parts, of which only those of type `text` are the answer.
const Content = z.union([z.string(), z.array(z.object({ type: z.string(), text: z.unknown().optional() }))]).nullish()

const Delta = z.object({
  content: Content,
  refusal: z.string().nullish(),
  tool_calls: z.array(ToolCallDelta).nullish(),
})

const Choice = z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })

/** One event of a turn. A ping or a usage report has no choices. */
export const Chunk = z.object({ choices: z.array(Choice).nullish() })

/** Fast path: the text of an event that holds nothing else, as nearly all do. Null: the event needs the whole schema. */
export function plainTextIn(value: unknown): string | null {
  const choices = isJsonObject(value) ? value['choices'] : null
  const [choice, ...more] = Array.isArray(choices) ? choices : []
  if (more.length > 0 || !isJsonObject(choice) || !isJsonObject(choice['delta'])) return null
  const { content, refusal, tool_calls: toolCalls } = choice['delta']
  const rest = choice['finish_reason'] ?? refusal ?? toolCalls ?? null
  return typeof content === 'string' && rest === null ? content : null
}

/** The text of a delta. The model's `refusal` to answer is text, too. */
export function textIn(delta: z.infer<typeof Choice>['delta']): string {
  const { content, refusal } = delta ?? {}
  const parts = Array.isArray(content) ? content : [{ type: 'text', text: content }]
  const texts = parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
  return texts.join('') + (refusal ?? '')
}
