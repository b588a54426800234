import { ErrorBody } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import { parseJson } from '../parse-json.ts'
import type { Answer } from './answer.ts'
import type { Caller } from './caller.ts'
import { exchange } from './exchange.ts'
import { notAControlPlane, redirected } from './faults.ts'

export type ControlPlaneRequest<T> = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly timeoutMs: number
  readonly answer: Schema<T>
}

// A deployment manifest holds 1 MiB at most by default; what is made of it is of that order.
const MAX_BYTES = 8 * 1024 * 1024

type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } }

/** One call. A refusal is an answer; no answer, a wrong one and a key not accepted are thrown. */
export async function request<T>(
  deps: Pick<CliDeps, 'fetch'>,
  { baseUrl, bearer, notAccepted }: Caller,
  input: ControlPlaneRequest<T>,
): Promise<Answer<T>> {
  const { status, location, retryAfter, text } = await exchange(deps, baseUrl, {
    method: input.method,
    path: input.path,
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(input.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    timeoutMs: input.timeoutMs,
    maxBytes: MAX_BYTES,
  })
  // A key goes to the address that was named and to no other.
  if (location !== null) throw redirected(baseUrl, location)

  const body = parseJson(text)
  if (status >= 200 && status < 300) {
    const parsed = input.answer.safeParse(body)
    if (parsed.success) return { ok: true, value: parsed.data }
    throw notAControlPlane(baseUrl, `${input.method} ${input.path} answered ${status} with something else`)
  }
  const refusal = ErrorBody.safeParse(body)
  // Another server’s 401 says nothing about the key.
  if (refusal.success && status === 401 && notAccepted) throw notAccepted()
  if (refusal.success)
    return { ok: false, refusal: { status, retryAfterSeconds: secondsIn(retryAfter), ...refusal.data.error } }
  throw notAControlPlane(baseUrl, `${input.method} ${input.path} answered ${status}`)
}

function secondsIn(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null
}
