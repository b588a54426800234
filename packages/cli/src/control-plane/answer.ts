import type { ErrorBody } from '@svc/contract'

/** Where the control plane is, and the deploy key that says which runtime this is. */
export type Credential = { readonly baseUrl: string; readonly apiKey: string }

/** What the server refused, as it said it. */
export type Refusal = ErrorBody['error'] & {
  readonly status: number
  /** Of the answer’s `Retry-After`; null where it has none. */
  readonly retryAfterSeconds: number | null
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }
