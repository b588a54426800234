import { z } from 'zod'

// Servers of this dialect differ in what else they send, so nothing is asked for but what is used.
const Word = z.string().nullable().default(null)
/** Text; of a few servers the value itself. */
const Arguments = z.union([Word, z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value))])
const ToolCallDelta = z.object({
  index: z.number().nullable().default(null),
  id: Word,
  function: z.object({ name: Word, arguments: Arguments }),
})
export type ToolCallDelta = z.infer<typeof ToolCallDelta>

/** Text, or, of servers that let models think aloud, pieces of which some are text. */
const Content = z.union([z.string(), z.array(z.object({ type: z.string(), text: z.unknown().optional() }))]).nullish()

const Delta = z.object({
  content: Content,
  refusal: z.string().nullish(),
  tool_calls: z.array(ToolCallDelta).nullish(),
})

const Choice = z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })

/** One event of a turn, as far as it is used; a ping or a report of usage has no choices. */
export const Chunk = z.object({ choices: z.array(Choice).nullish() })

/** The text in a piece of an answer, a refusal included; empty where it has none. */
export function textIn(delta: z.infer<typeof Choice>['delta']): string {
  const { content, refusal } = delta ?? {}
  return contentText(content) + (refusal ?? '')
}

function contentText(content: z.infer<typeof Content>): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  return content.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('')
}
