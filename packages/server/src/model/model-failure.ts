import { APICallError } from 'ai'
import { CUT_OFF, ModelError, type ModelUsage } from './model.ts'
import { NotAnEventStreamError } from './provider-error.ts'

export const TIMED_OUT = 'The model took too long to answer.'
export const CANCELLED = 'The model call was cancelled.'
export const WITHHELD = 'The model provider withheld the answer.'
export const NOT_AVAILABLE = 'The model is not available at the moment.'
export const MODEL_BROKE_OFF = 'The model provider reported an error within the answer.'
export const MALFORMED_CALL = 'The model wrote a capability call that its provider could not read.'
export const ENDED_UNKNOWN = 'The model ended its answer for a reason that is no end.'
const NO_STREAM = 'The model provider answered with something other than a stream of events.'
const QUOTA_USED_UP = 'The service’s quota at the model provider is used up.'
const UNREACHABLE = 'The model could not be reached.'
const RATE_LIMITED = 'The model is rate limited at the moment.'
const CREDENTIAL_REFUSED = 'The model provider refused the service’s credential.'
const REQUEST_REFUSED = 'The model provider refused the request.'

/** All messages of failed model calls. The dashboard and the troubleshooting page explain each. */
export const MODEL_FAILURES = [
  ...[CUT_OFF, TIMED_OUT, CANCELLED, WITHHELD, MODEL_BROKE_OFF, MALFORMED_CALL, ENDED_UNKNOWN],
  ...[UNREACHABLE, NO_STREAM, RATE_LIMITED, QUOTA_USED_UP, NOT_AVAILABLE, CREDENTIAL_REFUSED, REQUEST_REFUSED],
] as const

/** A message for the caller, and a cause for the log without key, prompt or any part of the answer. */
export function modelFailure(
  error: unknown,
  context: { hasBegun: boolean; usage: ModelUsage; secrets: readonly string[] },
): ModelError {
  const cause = new Error(logLineOf(error, context.secrets))
  return new ModelError(messageFor(error, context.hasBegun), { cause, usage: context.usage })
}

function messageFor(error: unknown, hasBegun: boolean): (typeof MODEL_FAILURES)[number] {
  if (hasBegun) return CUT_OFF
  if (error instanceof NotAnEventStreamError) return NO_STREAM
  const status = APICallError.isInstance(error) ? error.statusCode : undefined
  if (!APICallError.isInstance(error) || status === undefined) return UNREACHABLE
  if (isQuotaUsedUp(error)) return QUOTA_USED_UP
  if (status === 429) return RATE_LIMITED
  if (status === 401 || status === 403 || isKeyInvalid(error)) return CREDENTIAL_REFUSED
  if (status === 408) return TIMED_OUT
  if (status >= 500) return NOT_AVAILABLE
  if (status >= 400) return REQUEST_REFUSED
  return UNREACHABLE
}

/** Whether credit or quota at the provider are used up, where a retry cannot help. */
export function isQuotaUsedUp({ statusCode, responseBody = '' }: APICallError): boolean {
  return statusCode === 402 || (statusCode === 429 && responseBody.includes('insufficient_quota'))
}

// Google and xAI refuse a key with 400.
function isKeyInvalid({ statusCode, responseBody = '' }: APICallError): boolean {
  return statusCode === 400 && /API_KEY_INVALID|API key not valid|Incorrect API key/.test(responseBody)
}

const LOGGED_MESSAGE_LENGTH = 300

// An error of the AI SDK can hold the request and parts of the answer: only its message is logged, from status 400.
function logLineOf(error: unknown, secrets: readonly string[]): string {
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400) {
    return `provider answered ${error.statusCode}: ${redacted(error.message, secrets).slice(0, LOGGED_MESSAGE_LENGTH)}`
  }
  const name = error instanceof Error ? error.name : 'error event in the stream'
  return [name, ...networkCodes(error)].join(' ')
}

function redacted(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret !== '').reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
}

// The error code is nested: call failed ← fetch failed ← ECONNREFUSED.
function networkCodes(error: unknown): string[] {
  const codes: string[] = []
  let at: unknown = error
  for (let depth = 0; depth < 4 && at instanceof Error; depth++) {
    if ('code' in at && typeof at.code === 'string') codes.push(at.code)
    at = at.cause
  }
  return codes
}
