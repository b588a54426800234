import { bodyDigest, computeSignature, SIGNATURE_HEADERS } from '@svc/contract'

export const RUNTIME_ID = 'rt_shop0001'
export const SECRET = 'Jw5rUq0mPz8t3aQxkYc1vB7nLs2dHf4gEo6iRu9yTbM'
export const NOW = 1_767_225_600_000

export interface FakeClock {
  now(): number
  set(now: number): void
}

export function fakeClock(start = NOW): FakeClock {
  let now = start
  return {
    now: () => now,
    set: (next) => {
      now = next
    },
  }
}

export interface CallParts {
  body?: string | Uint8Array
  secret?: string
  runtimeId?: string
  timestamp?: string
  nonce?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

let nonces = 0

/** The headers that the control plane would send with a body. */
export async function signatureHeaders(parts: CallParts): Promise<Record<string, string>> {
  const { runtimeId = RUNTIME_ID, timestamp = String(NOW), secret = SECRET } = parts
  nonces += 1
  const nonce = parts.nonce ?? `nonce-${nonces}`
  const digest = await bodyDigest(bytesOf(parts.body ?? callBody('echo')))
  return {
    [SIGNATURE_HEADERS.runtimeId]: runtimeId,
    [SIGNATURE_HEADERS.timestamp]: timestamp,
    [SIGNATURE_HEADERS.nonce]: nonce,
    [SIGNATURE_HEADERS.signature]: await computeSignature(secret, { runtimeId, timestamp, nonce, bodyDigest: digest }),
  }
}

/** A signed call as a web-standard request; `headers` replace what was signed. */
export async function signedRequest(parts: CallParts = {}): Promise<Request> {
  const headers = { ...(await signatureHeaders(parts)), 'content-type': 'application/json', ...parts.headers }
  const body = bytesOf(parts.body ?? callBody('echo'))
  return new Request('http://localhost/svc', { method: 'POST', headers, body, signal: parts.signal ?? null })
}

/** The body of a call. */
export function callBody(capability: string, fields: Record<string, unknown> = {}): string {
  return JSON.stringify({ executionId: 'exec_1', callId: 'call_1', capability, input: {}, metadata: {}, ...fields })
}

export function bytesOf(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
}

/** Status and parsed body of an answer. */
export async function read(response: Response): Promise<{ status: number; body: unknown }> {
  return { status: response.status, body: JSON.parse(await response.text()) }
}
