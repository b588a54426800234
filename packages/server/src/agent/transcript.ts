import type { CallFailure, Message, ToolCallPart, ToolResultPart } from '@svc/contract'
import type { CallResult } from '../dispatch/call-result.ts'
import { JsonDocument } from '../lib/json-document.ts'

/** The result of a call in a transcript: `output` for the caller, `redacted` for the model. */
export function toolResult(
  { id: toolCallId, name }: Pick<ToolCallPart, 'id' | 'name'>,
  result: CallResult,
  view: 'output' | 'redacted' = 'output',
): ToolResultPart {
  if (result.ok) return { type: 'tool_result', toolCallId, name, output: result[view] }
  return { type: 'tool_result', toolCallId, name, output: null, error: failureOf(result) }
}

/** A failed call as its caller is told of it. */
export function failureOf({ message, code }: Extract<CallResult, { ok: false }>): CallFailure {
  return code ? { message, code } : { message }
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

/**
 * Turns in which each call has one result, as providers demand. A later result of an answered call, as that of an approved
 * one, takes the place of the earlier result, or belongs to a repeated call where the talk went on in between. The turns
 * must satisfy `Transcript`.
 */
export function withLaterResults(messages: readonly Message[]): Message[] {
  const turns: Message[] = []
  const calls = new Map<string, ToolCallPart>()
  const open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') {
      turns.push(message)
      const made = message.parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []))
      for (const call of made) {
        calls.set(call.id, call)
        open.add(call.id)
      }
      continue
    }
    const first = message.parts.filter(({ toolCallId }) => open.delete(toolCallId))
    if (first.length > 0) turns.push({ role: 'tool', parts: first })
    for (const part of message.parts) {
      const call = calls.get(part.toolCallId)
      if (call && !first.includes(part)) addLaterResult(turns, part, { ...call, id: `${call.id}_${index}` })
    }
  }
  return turns
}

function addLaterResult(turns: Message[], result: ToolResultPart, repeated: ToolCallPart): void {
  for (let place = turns.length - 1; turns[place]?.role === 'tool'; place -= 1) {
    const parts = (turns[place]?.parts ?? []) as ToolResultPart[]
    if (!parts.some(({ toolCallId }) => toolCallId === result.toolCallId)) continue
    turns[place] = { role: 'tool', parts: parts.map((part) => (part.toolCallId === result.toolCallId ? result : part)) }
    return
  }
  turns.push({ role: 'assistant', parts: [repeated] })
  turns.push({ role: 'tool', parts: [{ ...result, toolCallId: repeated.id }] })
}
