import { ClientError, type ClientErrorKind } from '../client/client-error.ts'
import { safeLine } from './safe-text.ts'

/**
 * Why an answer did not come: it was stopped, the page could not say who is signed in, the service cannot be reached, the
 * connection was lost, too much was asked, the execution failed, the request was refused, or the page is not set up as the
 * service expects.
 */
export type ProblemKind =
  | 'stopped'
  | 'no_token'
  | 'unreachable'
  | 'interrupted'
  | 'rate_limited'
  | 'failed'
  | 'refused'
  | 'misconfigured'

export interface Problem {
  readonly kind: ProblemKind
  /** In the service’s own words, or in the client’s; null where there are none. */
  readonly detail: string | null
  /** When to ask again, in milliseconds since the epoch; null where nobody said. */
  readonly retryAt: number | null
  /** What the owner finds the case by: the id of the execution, or of the request where there was none. */
  readonly referenceId: string | null
}

const KINDS: Readonly<Record<ClientErrorKind, ProblemKind>> = {
  no_token: 'no_token',
  unreachable: 'unreachable',
  unavailable: 'unreachable',
  interrupted: 'interrupted',
  rate_limited: 'rate_limited',
  unauthorized: 'misconfigured',
  forbidden: 'misconfigured',
  not_found: 'misconfigured',
  malformed: 'misconfigured',
  invalid: 'refused',
}

const LONGEST_DETAIL = 300

/** The problem that something thrown stands for. */
export function problemOf(error: unknown, nowMs: number): Problem {
  if (!(error instanceof ClientError)) return problem('failed')
  const kind = KINDS[error.kind]
  return problem(kind, {
    detail: error.message,
    retryAt: error.retryAfterMs === null ? null : nowMs + error.retryAfterMs,
    referenceId: error.requestId,
  })
}

/** A problem with as much as is known of it. */
export function problem(
  kind: ProblemKind,
  facts: { detail?: string | null; retryAt?: number | null; referenceId?: string | null } = {},
): Problem {
  const { detail, retryAt = null, referenceId = null } = facts
  return {
    kind,
    detail: detail ? safeLine(detail, LONGEST_DETAIL) : null,
    retryAt,
    referenceId: referenceId && safeLine(referenceId, 80),
  }
}
