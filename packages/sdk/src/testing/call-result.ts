import { isJsonObject } from '@svc/contract'

/** How a call ended, as the control plane sees it. `message` is what the model would read. */
export type CallResult<Output = unknown> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Reads an endpoint’s answer. A refusal’s code is the one that the endpoint gave, such as `nonce_replayed`. */
export async function readResult(response: Response): Promise<CallResult> {
  const text = await response.text()
  const body = parseJson(text)
  if (response.status !== 200) return refused(response.status, body)
  if (!isJsonObject(body) || !('output' in body || 'error' in body)) return unreadable(text)
  const { output, error } = body
  if (error === undefined || error === null) return { ok: true, output }
  if (typeof error === 'string') return failed(undefined, error)
  return isJsonObject(error) ? failed(error['code'], error['message']) : unreadable(text)
}

// An endpoint without this package may leave the code out.
function failed(code: unknown, message: unknown): CallResult {
  return { ok: false, code: wordsOr(code, 'capability_failed'), message: wordsOr(message, 'The capability failed.') }
}

function refused(status: number, body: unknown): CallResult {
  const { error, message } = isJsonObject(body) ? body : {}
  const code = wordsOr(error, 'unexpected_status')
  const reason = wordsOr(message, '')
  return { ok: false, code, message: `The endpoint answered ${status} ${code}${reason ? `: ${reason}` : '.'}` }
}

function unreadable(text: string): CallResult {
  const message = `The endpoint answered 200 with something other than {output} or {error}: ${text.slice(0, 200)}`
  return { ok: false, code: 'unreadable_answer', message }
}

function wordsOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
