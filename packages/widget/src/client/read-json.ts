import type { CallFailure, Message, ToolResultPart } from '@svc/contract'

// What the service sends is read by hand: its schemas and their library are larger than this whole package.

/** True for a plain `{…}`, false for arrays, null and everything else. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Part = Message['parts'][number]

/** The turns among the values of a list that are ones; what is malformed is left out. */
export function readMessages(value: unknown): Message[] {
  return Array.isArray(value) ? value.flatMap((entry) => readMessage(entry) ?? []) : []
}

function readMessage(value: unknown): Message | null {
  if (!isRecord(value) || !Array.isArray(value['parts'])) return null
  const parts: Part[] = value['parts'].flatMap((part) => readPart(part) ?? [])
  if (parts.length === 0) return null
  if (value['role'] === 'user') return { role: 'user', parts: parts.filter((part) => part.type === 'text') }
  if (value['role'] === 'assistant') {
    return { role: 'assistant', parts: parts.filter((part) => part.type !== 'tool_result') }
  }
  if (value['role'] === 'tool') return { role: 'tool', parts: parts.filter((part) => part.type === 'tool_result') }
  return null
}

function readPart(part: unknown): Part | null {
  if (!isRecord(part)) return null
  if (part['type'] === 'text') {
    return typeof part['content'] === 'string' ? { type: 'text', content: part['content'] } : null
  }
  if (part['type'] === 'tool_call') {
    const { id, name, input } = part
    if (typeof id !== 'string' || typeof name !== 'string' || !isRecord(input)) return null
    return { type: 'tool_call', id, name, input }
  }
  return part['type'] === 'tool_result' ? readResult(part) : null
}

/** A result among the parts of a tool turn, or null. */
export function readResult({ toolCallId, name, output, error }: Record<string, unknown>): ToolResultPart | null {
  if (typeof toolCallId !== 'string' || typeof name !== 'string') return null
  const failure = readFailure(error)
  return { type: 'tool_result', toolCallId, name, output, ...(failure && { error: failure }) }
}

/** `{message}`, with `code` where it is one that is known, or null. */
export function readFailure(value: unknown): CallFailure | null {
  if (!isRecord(value) || typeof value['message'] !== 'string') return null
  const failure = { message: value['message'] }
  return value['code'] === 'end_user_required' ? { ...failure, code: value['code'] } : failure
}

/** The number, or 0. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
