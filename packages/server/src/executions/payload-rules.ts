import type { FieldErrors } from '@svc/contract'
import { z } from 'zod'
import type { JsonDocument } from '../lib/json-document.ts'
import type { Limits } from '../limits.ts'

const PREVIEW_CHARACTERS = 2_000

interface SizedRequest {
  messages?: readonly unknown[]
  metadata?: JsonDocument | undefined
  endUserToken?: { byteLength: number } | undefined
}

/** The parts of a request that are too large, by field; null where none is. */
export function sizeFaults(
  { messages, metadata, endUserToken }: SizedRequest,
  limits: Pick<Limits, 'messages' | 'metadataBytes' | 'endUserTokenBytes'>,
): FieldErrors | null {
  const faults: FieldErrors = {}
  if (messages && messages.length > limits.messages) {
    faults['messages'] = [`holds ${messages.length} messages, at most ${limits.messages} are accepted.`]
  }
  if (metadata && metadata.bytes > limits.metadataBytes) {
    faults['metadata'] = [`has ${metadata.bytes} bytes, at most ${limits.metadataBytes} are accepted.`]
  }
  if (endUserToken && endUserToken.byteLength > limits.endUserTokenBytes) {
    faults['endUserToken'] = [`is longer than the ${limits.endUserTokenBytes} bytes that are accepted.`]
  }
  return Object.keys(faults).length > 0 ? faults : null
}

/** A payload, JSON text, as a trace stores it: its size and beginning where it is too large. */
export function truncatedJson(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  return JSON.stringify({ truncated: true, bytes, preview: text.slice(0, PREVIEW_CHARACTERS) })
}

export function truncatedText(text: string, maxBytes: number): string {
  return Buffer.byteLength(text) <= maxBytes ? text : `${text.slice(0, PREVIEW_CHARACTERS)}…`
}

/** The shape of a transcript, JSON text, as a trace stores it: without its oldest turns where it is too large. */
export function truncatedShape(text: string, maxBytes: number): string {
  // Roles and types of parts are ASCII: a character is a byte.
  if (text.length <= maxBytes) return text
  const kept: string[] = []
  let length = 2
  for (const turn of z.array(z.unknown()).parse(JSON.parse(text)).toReversed()) {
    const written = JSON.stringify(turn)
    length += written.length + 1
    if (length > maxBytes) break
    kept.unshift(written)
  }
  return `[${kept.join(',')}]`
}
