import { isJsonObject } from '@svc/contract'
import { JsonDocument } from '../lib/json-document.ts'
import type { Era } from './messages.ts'

/** The result of `tools/call`, without what all results have. */
export type ToolResult = Output | Failure

interface Output {
  content: TextContent[]
  structuredContent?: JsonDocument
  isError: false
}

interface Failure {
  content: TextContent[]
  isError: true
  /** Values of `WWW-Authenticate`, of a call that needs a sign-in. */
  challenges?: string[]
}

interface TextContent {
  type: 'text'
  text: string
}

export function failure(text: string): Failure {
  return { content: [{ type: 'text', text }], isError: true }
}

/** An output as JSON and as text. Earlier revisions know no JSON but objects. */
export function output(whole: JsonDocument, era: Era): ToolResult {
  const shown = withoutReserved(whole)
  const isStructured = era === 'modern' || shown.text.startsWith('{')
  return {
    content: [{ type: 'text', text: shown.text }],
    isError: false,
    ...(isStructured && { structuredContent: shown }),
  }
}

/** The output without what it says to the chat widget alone. */
function withoutReserved(whole: JsonDocument): JsonDocument {
  if (!whole.text.includes('"svc":')) return whole
  const { value } = whole
  if (!isJsonObject(value) || !('svc' in value)) return whole
  const { svc: _reserved, ...rest } = value
  return JsonDocument.of(rest)
}
