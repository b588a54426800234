import type { FieldErrors, JsonObject } from '@svc/contract'
import { z } from 'zod'
import type { Limits } from '../limits.ts'

const PREVIEW_CHARACTERS = 2_000

interface Bounded {
  messages?: readonly unknown[]
  metadata?: JsonObject | undefined
  /** The metadata as JSON text, where somebody has written it before. */
  metadataText?: string | undefined
  endUserToken?: { byteLength: number } | undefined
}

/** Which parts of a request are larger than the service takes, by field; null when none is. */
export function sizeFaults(
  request: Bounded,
  limits: Pick<Limits, 'messages' | 'metadataBytes' | 'endUserTokenBytes'>,
): FieldErrors | null {
  const faults: FieldErrors = {}
  const { messages, metadata, metadataText = metadata && JSON.stringify(metadata), endUserToken } = request
  if (messages && messages.length > limits.messages) {
    faults['messages'] = [`holds ${messages.length} messages, at most ${limits.messages} are accepted.`]
  }
  const metadataBytes = metadataText ? Buffer.byteLength(metadataText) : 0
  if (metadataBytes > limits.metadataBytes) {
    faults['metadata'] = [`has ${metadataBytes} bytes, at most ${limits.metadataBytes} are accepted.`]
  }
  if (endUserToken && endUserToken.byteLength > limits.endUserTokenBytes) {
    faults['endUserToken'] = [`is longer than the ${limits.endUserTokenBytes} bytes that are accepted.`]
  }
  return Object.keys(faults).length > 0 ? faults : null
}

/** A capability's payload, JSON text, as a trace keeps it: whole, or its size and beginning where it is too large. */
export function storedText(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  return JSON.stringify({ truncated: true, bytes, preview: text.slice(0, PREVIEW_CHARACTERS) })
}

/** A message of somebody else's as a trace keeps it. */
export function storedWords(words: string, maxBytes: number): string {
  return Buffer.byteLength(words) <= maxBytes ? words : `${words.slice(0, PREVIEW_CHARACTERS)}…`
}

/** The shape of a transcript, JSON text, as a trace keeps it: without its oldest turns where it is too large. */
export function storedShape(text: string, maxBytes: number): string {
  // Roles and types of parts, and nothing else: a character is a byte.
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
