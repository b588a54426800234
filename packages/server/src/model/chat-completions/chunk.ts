import { z } from 'zod'

// Servers of this dialect differ in what else they send, so nothing is asked for but what is used.
const Word = z.string().nullable().default(null)
const ToolCallDelta = z.object({
  index: z.number().nullable().default(null),
  id: Word,
  function: z.object({ name: Word, arguments: Word }),
})
export type ToolCallDelta = z.infer<typeof ToolCallDelta>

/** Text, or, of servers that let models think aloud, pieces of which some are text. */
const Content = z.union([z.string(), z.array(z.object({ type: z.string(), text: z.unknown().optional() }))]).nullish()

const Choice = z.object({
  delta: z.object({ content: Content, tool_calls: z.array(ToolCallDelta).nullish() }).nullish(),
  finish_reason: z.string().nullish(),
})

const Usage = z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() })
export type Usage = z.infer<typeof Usage>

/** One event of a turn, as far as it is used. An `error` there is one, whatever it holds. */
export const Chunk = z.object({ choices: z.array(Choice), usage: Usage.nullish() })

/** The text in a piece of an answer; empty where it has none. */
export function textIn(content: z.infer<typeof Content>): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  return content.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('')
}
