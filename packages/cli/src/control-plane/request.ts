import { ErrorBody } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import type { Answer, Credential } from './answer.ts'
import { exchange } from './exchange.ts'
import { keyNotAccepted, notAControlPlane, redirected } from './faults.ts'

export type ControlPlaneRequest<T> = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly timeoutMs: number
  readonly answer: Schema<T>
}

// Far more than any answer of these routes.
const MAX_BYTES = 4_194_304

type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } }

/** One call with the deploy key. A refusal is an answer; no answer, a wrong one and a key not accepted are thrown. */
export async function request<T>(
  deps: Pick<CliDeps, 'fetch'>,
  who: Credential,
  input: ControlPlaneRequest<T>,
): Promise<Answer<T>> {
  const { status, location, text } = await exchange(deps, who.baseUrl, {
    method: input.method,
    path: input.path,
    headers: {
      authorization: `Bearer ${who.apiKey}`,
      ...(input.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    timeoutMs: input.timeoutMs,
    maxBytes: MAX_BYTES,
  })
  // The key goes to the address that was named and to no other.
  if (location !== null) throw redirected(who.baseUrl, location)

  const body = parseJson(text)
  if (status >= 200 && status < 300) {
    const parsed = input.answer.safeParse(body)
    if (parsed.success) return { ok: true, value: parsed.data }
    throw notAControlPlane(who.baseUrl, `${input.method} ${input.path} answered ${status} with something else`)
  }
  const refusal = ErrorBody.safeParse(body)
  // Another server’s 401 says nothing about the key.
  if (refusal.success && status === 401) throw keyNotAccepted(who)
  if (refusal.success) return { ok: false, refusal: { status, ...refusal.data.error } }
  throw notAControlPlane(who.baseUrl, `${input.method} ${input.path} answered ${status}`)
}

// Control characters in an answer could rewrite what the terminal shows.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown) =>
      typeof value === 'string' ? value.replace(/\p{Cc}/gu, ' ') : value,
    )
  } catch {
    return undefined
  }
}
