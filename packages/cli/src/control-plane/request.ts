import { ErrorBody } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import type { Answer, Credential } from './answer.ts'
import { keyNotAccepted, notAControlPlane, redirected, unreachable } from './faults.ts'

export type ControlPlaneRequest<T> = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly timeoutMs: number
  readonly answer: Schema<T>
}

type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } }

/** One call with the deploy key. A refusal is an answer; no answer, a wrong one and a key not accepted are thrown. */
export async function request<T>(
  deps: Pick<CliDeps, 'fetch'>,
  who: Credential,
  input: ControlPlaneRequest<T>,
): Promise<Answer<T>> {
  const { status, location, text } = await send(deps, who, input)
  if (location !== null) throw redirected(who.baseUrl, location)
  if (status === 401) throw keyNotAccepted(who)

  const body = parseJson(text)
  if (status >= 200 && status < 300) {
    const parsed = input.answer.safeParse(body)
    if (parsed.success) return { ok: true, value: parsed.data }
    throw notAControlPlane(who.baseUrl, `${input.method} ${input.path} answered ${status} with something else`)
  }
  const refusal = ErrorBody.safeParse(body)
  if (refusal.success) return { ok: false, refusal: { status, ...refusal.data.error } }
  throw notAControlPlane(who.baseUrl, `${input.method} ${input.path} answered ${status}`)
}

type Exchange = { status: number; location: string | null; text: string }

async function send(
  deps: Pick<CliDeps, 'fetch'>,
  who: Credential,
  input: ControlPlaneRequest<unknown>,
): Promise<Exchange> {
  try {
    const response = await deps.fetch(`${who.baseUrl}${input.path}`, {
      method: input.method,
      headers: {
        authorization: `Bearer ${who.apiKey}`,
        ...(input.body !== undefined && { 'content-type': 'application/json' }),
      },
      body: input.body === undefined ? null : JSON.stringify(input.body),
      // The key goes to the address that was named and to no other.
      redirect: 'manual',
      signal: AbortSignal.timeout(input.timeoutMs),
    })
    const isRedirect = response.status >= 300 && response.status < 400
    const location = isRedirect ? (response.headers.get('location') ?? 'another address') : null
    return { status: response.status, location, text: await response.text() }
  } catch (error) {
    throw unreachable(who.baseUrl, error, input.timeoutMs)
  }
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
