import type { JsonObject } from '@svc/contract'
import type { Secret } from '../secrets/secret.ts'

/** Where a call goes and what it is signed with. A previous secret is still tried while it has not expired. */
export interface DispatchTarget {
  runtimeId: string
  endpoint: string
  secrets: { current: Secret; previous: { secret: Secret; expiresAt: number } | null }
}

export interface DispatchCall {
  executionId: string
  callId: string
  capability: string
  input: JsonObject
  metadata: JsonObject
  endUserToken: Secret | undefined
  /** Passed on where it is a valid one; a new one is minted otherwise. */
  traceparent?: string
  /** Ends the call as cancelled. */
  signal?: AbortSignal
}
