import type { Message, ToolCallPart, ToolResultPart } from '@svc/contract'
import type { CallResult } from '../dispatch/call-result.ts'
import { JsonDocument } from '../lib/json-document.ts'

/** The result of a call in a transcript: `output` for the caller, `redacted` for the model. */
export function toolResult(
  { id: toolCallId, name }: Pick<ToolCallPart, 'id' | 'name'>,
  result: CallResult,
  view: 'output' | 'redacted' = 'output',
): ToolResultPart {
  if (result.ok) return { type: 'tool_result', toolCallId, name, output: result[view] }
  return { type: 'tool_result', toolCallId, name, output: null, error: { message: result.message } }
}

/** Turns for the model: outputs become text, cut after `maxBytes` with a note. */
export function forModel(messages: readonly Message[], maxBytes: number): Message[] {
  return messages.map((message) => {
    if (message.role !== 'tool') return message
    return { role: 'tool', parts: message.parts.map((part) => ({ ...part, output: cut(part.output, maxBytes) })) }
  })
}

function cut(output: unknown, maxBytes: number): JsonDocument | string {
  const document = JsonDocument.of(output)
  const { text, bytes } = document
  if (bytes <= maxBytes) return document
  const head = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes)
  // Decoded as a stream, which leaves out an incomplete last character.
  const kept = new TextDecoder().decode(head, { stream: true })
  return `${kept}\n[Cut here: the first ${maxBytes} of ${bytes} bytes are shown.]`
}
