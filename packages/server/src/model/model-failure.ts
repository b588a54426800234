import { APICallError } from 'ai'
import { ModelError, type ModelUsage } from './model.ts'

export const CUT_OFF = 'The model’s answer was cut off.'
export const TIMED_OUT = 'The model took too long to answer.'
export const CANCELLED = 'The model call was cancelled.'
export const WITHHELD = 'The model provider withheld the answer.'
const UNREACHABLE = 'The model could not be reached.'
const RATE_LIMITED = 'The model is rate limited at the moment.'
const NOT_AVAILABLE = 'The model is not available at the moment.'
const CREDENTIAL_REFUSED = 'The model provider refused the service’s credential.'
const REQUEST_REFUSED = 'The model provider refused the request.'

/** Every sentence that a caller may be told of the model. */
export const MODEL_FAILURES = [
  ...[CUT_OFF, TIMED_OUT, CANCELLED, WITHHELD, UNREACHABLE],
  ...[RATE_LIMITED, NOT_AVAILABLE, CREDENTIAL_REFUSED, REQUEST_REFUSED],
] as const

/** What a failure means to a caller, with a cause that is fit for the log: no key, no prompt, no answer in it. */
export function modelFailure(
  error: unknown,
  context: { begun: boolean; usage: ModelUsage; secrets: readonly string[] },
): ModelError {
  const cause = new Error(forTheLog(error, context.secrets))
  return new ModelError(sentenceFor(error, context.begun), { cause, usage: context.usage })
}

function sentenceFor(error: unknown, begun: boolean): (typeof MODEL_FAILURES)[number] {
  if (begun) return CUT_OFF
  const status = APICallError.isInstance(error) ? error.statusCode : undefined
  if (status === undefined) return UNREACHABLE
  if (status === 429) return RATE_LIMITED
  if (status === 401 || status === 403) return CREDENTIAL_REFUSED
  if (status === 408) return TIMED_OUT
  if (status >= 500) return NOT_AVAILABLE
  if (status >= 400) return REQUEST_REFUSED
  return UNREACHABLE
}

const LOGGED_MESSAGE_LENGTH = 300

// A library error can carry the request and pieces of the answer; only the provider's own refusal is worth its words.
function forTheLog(error: unknown, secrets: readonly string[]): string {
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400) {
    return `provider answered ${error.statusCode}: ${redacted(error.message, secrets).slice(0, LOGGED_MESSAGE_LENGTH)}`
  }
  return [nameOf(error), ...networkCodes(error)].join(' ')
}

function redacted(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret !== '').reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'error event in the stream'
}

// The reason sits a few causes deep: call failed ← fetch failed ← ECONNREFUSED.
function networkCodes(error: unknown): string[] {
  const codes: string[] = []
  let at: unknown = error
  for (let depth = 0; depth < 4 && at instanceof Error; depth++) {
    if ('code' in at && typeof at.code === 'string') codes.push(at.code)
    at = at.cause
  }
  return codes
}
