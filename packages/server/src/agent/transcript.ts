import type { Message, ToolResultPart } from '@svc/contract'
import type { CallResult } from '../dispatch/call-result.ts'
import { JsonText } from '../lib/json-text.ts'

/** A capability's answer as it stands in the caller's transcript. */
export function toolResult(toolCallId: string, name: string, result: CallResult): ToolResultPart {
  if (result.ok) return { type: 'tool_result', toolCallId, name, output: result.output }
  return { type: 'tool_result', toolCallId, name, output: null, error: { message: result.message } }
}

/** The same result for the model, without the end user's token. */
export function redactedResult(part: ToolResultPart, result: CallResult | undefined): ToolResultPart {
  return result?.ok ? { ...part, output: result.redacted } : part
}

/** Turns as the model is given them: outputs are texts, and those over `maxBytes` are cut, with a note that says so. */
export function forModel(messages: readonly Message[], maxBytes: number): Message[] {
  return messages.map((message) => {
    if (message.role !== 'tool') return message
    return { role: 'tool', parts: message.parts.map((part) => ({ ...part, output: cut(part.output, maxBytes) })) }
  })
}

function cut(output: unknown, maxBytes: number): JsonText | string {
  const written = JsonText.of(output)
  const { text, bytes } = written
  if (bytes <= maxBytes) return written
  // As a stream, whose last character may be half here: it is left out then.
  const head = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes)
  const kept = new TextDecoder().decode(head, { stream: true })
  return `${kept}\n[Cut here: the first ${maxBytes} of ${bytes} bytes are shown.]`
}
