import type { FieldErrors, JsonObject, Tier } from '@svc/contract'
import type { Limits } from '../limits.ts'
import { TIERS } from '../usage/tiers.ts'

const PREVIEW_CHARACTERS = 2_000
const DAY_MS = 86_400_000

/** The earliest start, inclusive, whose trace this plan still keeps. What started before it is neither shown nor kept. */
export function retainedSince(tier: Tier, now: number): number {
  return now - TIERS[tier].retentionDays * DAY_MS
}

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

/** A call's input as a trace keeps it; see {@link storedText}. */
export function storedInput({ input, inputText }: { input: JsonObject; inputText?: string }, maxBytes: number): string {
  return storedText(inputText ?? JSON.stringify(input), maxBytes)
}

/** A capability's payload, JSON text, as a trace keeps it: whole, or its size and beginning where it is too large. */
export function storedText(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  return JSON.stringify({ truncated: true, bytes, preview: text.slice(0, PREVIEW_CHARACTERS) })
}
