import { isJsonObject, type JsonObject } from '@svc/contract'
import { JsonDocument } from '../lib/json-document.ts'
import type { Era } from './messages.ts'

/** The result of `tools/call`, without what all results have. */
export type ToolResult = Output | Failure

interface Output {
  content: TextContent[]
  structuredContent?: JsonDocument
  isError: false
  /** What the output says to those who show it, beside what it says to models. */
  svc?: JsonObject
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
  const { shown, svc } = withoutReserved(whole)
  const isStructured = era === 'modern' || shown.text.startsWith('{')
  return {
    content: [{ type: 'text', text: shown.text }],
    isError: false,
    ...(isStructured && { structuredContent: shown }),
    ...(isJsonObject(svc) && { svc }),
  }
}

/** The output without its reserved key, and what that holds. */
function withoutReserved(whole: JsonDocument): { shown: JsonDocument; svc?: unknown } {
  if (!whole.text.includes('"svc":')) return { shown: whole }
  const { value } = whole
  if (!isJsonObject(value) || !('svc' in value)) return { shown: whole }
  const { svc, ...rest } = value
  return { shown: JsonDocument.of(rest), svc }
}
