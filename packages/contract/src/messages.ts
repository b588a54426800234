import * as z from 'zod'
import { CallFailure } from './errors.ts'
import { JsonObject } from './json.ts'

export const TextPart = z.object({ type: z.literal('text'), content: z.string() })
export type TextPart = z.infer<typeof TextPart>

const ToolCallId = z.string().min(1).max(128)

/** The model asks for a capability. */
export const ToolCallPart = z.object({
  type: z.literal('tool_call'),
  id: ToolCallId,
  name: z.string().min(1).max(128),
  input: JsonObject,
})
export type ToolCallPart = z.infer<typeof ToolCallPart>

/** A capability’s answer to the call of the same id; with `error`, `output` is null. */
export const ToolResultPart = z.object({
  type: z.literal('tool_result'),
  toolCallId: ToolCallId,
  name: z.string().min(1).max(128),
  output: z.unknown(),
  error: CallFailure.optional(),
})
export type ToolResultPart = z.infer<typeof ToolResultPart>

const UserMessage = z.object({ role: z.literal('user'), parts: z.array(TextPart).min(1) })
const AssistantMessage = z.object({
  role: z.literal('assistant'),
  parts: z.array(z.discriminatedUnion('type', [TextPart, ToolCallPart])).min(1),
})
const ToolMessage = z.object({ role: z.literal('tool'), parts: z.array(ToolResultPart).min(1) })
const SystemMessage = z.object({ role: z.literal('system'), parts: z.array(TextPart).min(1) })

/** One turn of a conversation. */
export const Message = z.discriminatedUnion('role', [UserMessage, AssistantMessage, ToolMessage, SystemMessage])
export type Message = z.infer<typeof Message>

function transcriptOf<Turn extends z.ZodType<Message>>(turn: Turn) {
  return z
    .array(turn)
    .min(1, 'must hold at least one message.')
    .superRefine((messages, context) => {
      for (const fault of unpairedToolParts(messages)) {
        context.addIssue({ code: 'custom', path: fault.path, message: fault.message })
      }
    })
}

/**
 * A conversation: at least one turn, in which every tool call is answered before the talk goes on. A later tool turn may
 * give a call one more result, as that of an approved call.
 */
export const Transcript = transcriptOf(Message).describe(
  'A conversation. The tool turn after a `tool_call` answers it with a `tool_result`. A later tool turn may hold one more result of it, as after an approval.',
)

// Parses `system` turns as well, so that they are refused by a message of their own, not as an unknown role.
const PublicMessage = z.discriminatedUnion('role', [UserMessage, AssistantMessage, ToolMessage, SystemMessage], {
  error: ({ code }) => (code === 'invalid_union' ? 'must be “user” or “assistant” or “tool”.' : undefined),
})

/** A conversation from page source, which is anybody’s to edit: no turn of it may speak as the system. */
export const PublicTranscript = transcriptOf(PublicMessage)
  .superRefine((messages, context) => {
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'system') continue
      context.addIssue({
        code: 'custom',
        path: [index, 'role'],
        message:
          'must be user, assistant or tool: a public key may not speak as the system. Set agent.instructions in the deployment instead.',
      })
    }
  })
  .describe('A conversation from page source: no turn may speak as `system`.')

interface Fault {
  path: (string | number)[]
  message: string
}

// Model providers refuse a conversation whose calls and results do not pair, so it is refused here, where it can be named.
function unpairedToolParts(messages: readonly Message[]): Fault[] {
  const faults: Fault[] = []
  const calls: Calls = { open: new Map(), answered: new Set() }
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') faults.push(...unanswered(calls.open))
    for (const [place, part] of message.parts.entries()) {
      const fault = pair(part, [index, 'parts', place], calls)
      if (fault) faults.push(fault)
    }
    for (const part of message.parts) if (part.type === 'tool_result') calls.answered.add(part.toolCallId)
  }
  return [...faults, ...unanswered(calls.open)]
}

interface Calls {
  /** The places of calls that wait for their result. */
  open: Map<string, Fault['path']>
  /** Calls with a result in an earlier turn. */
  answered: Set<string>
}

function pair(part: Message['parts'][number], at: Fault['path'], { open, answered }: Calls): Fault | null {
  if (part.type === 'tool_call') {
    const path = [...at, 'id']
    const isRepeated = open.has(part.id)
    open.set(part.id, path)
    return isRepeated ? { path, message: 'repeats the id of another tool_call of its turn.' } : null
  }
  if (part.type !== 'tool_result' || open.delete(part.toolCallId)) return null
  // The result of a call that waited for a person's approval follows the result that said so.
  if (open.size === 0 && answered.delete(part.toolCallId)) return null
  return { path: [...at, 'toolCallId'], message: 'answers no open tool_call of this conversation.' }
}

function unanswered(open: Map<string, Fault['path']>): Fault[] {
  const faults = Array.from(open.values(), (path) => ({
    path,
    message: 'has no tool_result: answer every tool_call in the tool turn that follows it.',
  }))
  open.clear()
  return faults
}

/** What a trace keeps of a turn: its role and the types of its parts, never their content. */
export const TurnShape = z.object({
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  parts: z.array(z.object({ type: z.enum(['text', 'tool_call', 'tool_result']) })),
})
export type TurnShape = z.infer<typeof TurnShape>

/** The shape of one turn. */
export function shapeOf(message: Message): TurnShape {
  return { role: message.role, parts: message.parts.map((part) => ({ type: part.type })) }
}
