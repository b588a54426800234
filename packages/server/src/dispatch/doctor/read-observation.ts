import { isJsonObject, type JsonObject, RECEIVER_REFUSALS } from '@svc/contract'
import type { Observation } from './probe-exchange.ts'

// Beside the receiver's own: what the SDK's handler answers where it cannot judge a call.
const OTHER_CODES = [
  'body_too_large',
  'internal_error',
  'method_not_allowed',
  'nonce_store_full',
  'nonce_store_unavailable',
  'not_configured',
]
const KNOWN_CODES = new Set([...Object.keys(RECEIVER_REFUSALS), ...OTHER_CODES])

/** The code of `{"error": <code>}`, where it is one that receivers are known to answer. Other words are the endpoint's. */
export function refusalCodeOf(observation: Observation): string | null {
  const error = jsonOf(observation)?.['error']
  return typeof error === 'string' && KNOWN_CODES.has(error) ? error : null
}

/** The body, where it is a JSON object that was sent as it is. */
export function jsonOf({ body, contentEncoding }: Observation): JsonObject | null {
  if (isCompressed(contentEncoding)) return null
  try {
    const value: unknown = JSON.parse(body.toString())
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

export function isCompressed(contentEncoding: string | null): boolean {
  return contentEncoding !== null && contentEncoding.toLowerCase() !== 'identity'
}

/** What was answered, as the end of a sentence. */
export function inWords(observation: Observation): string {
  const { status, fault } = observation
  if (status !== null) {
    const code = refusalCodeOf(observation)
    return `the endpoint answered with status ${status}${code === null ? '' : `, ${code}`}`
  }
  if (fault === 'late') return 'the endpoint did not answer in time'
  if (fault === 'not-http') return 'the endpoint’s answer was not HTTP'
  return fault === 'connect' ? 'the endpoint could not be reached' : 'the endpoint closed the connection'
}
