/**
 * Why a request has no result: the page could not say who is signed in, nobody answered, a stream ended before its
 * `done`, the caller must wait (429), the key or the origin is not accepted (401, 403), there is no such thing (404), the
 * request was refused (400), the service has trouble (5xx), or the answer is none that is known.
 */
export type ClientErrorKind =
  | 'no_token'
  | 'unreachable'
  | 'interrupted'
  | 'rate_limited'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'invalid'
  | 'unavailable'
  | 'malformed'

interface ClientErrorFacts {
  /** HTTP status; null where there was no answer. */
  status?: number | null
  /** The control plane’s name for the request, as its log has it. */
  requestId?: string | null
  /** How long to wait before asking again, where the service said so. */
  retryAfterMs?: number | null
  /** Messages by dotted field path; on `invalid` alone. */
  fieldErrors?: Readonly<Record<string, readonly string[]>> | null
  cause?: unknown
}

/** A request without a result. A failed execution and a failed capability are results and throw nothing. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly kind: ClientErrorKind
  readonly status: number | null
  readonly requestId: string | null
  readonly retryAfterMs: number | null
  readonly fieldErrors: Readonly<Record<string, readonly string[]>> | null

  constructor(kind: ClientErrorKind, message: string, facts: ClientErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.kind = kind
    this.status = facts.status ?? null
    this.requestId = facts.requestId ?? null
    this.retryAfterMs = facts.retryAfterMs ?? null
    this.fieldErrors = facts.fieldErrors ?? null
  }
}
