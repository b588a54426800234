import type { CallMode, JsonObject } from '@svc/contract'
import type { HeldBytes } from '../admission/in-flight.ts'
import type { JsonDocument } from '../lib/json-document.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import type { Secret } from '../secrets/secret.ts'

/** A previous secret is still tried while it has not expired. */
export interface TargetSecrets {
  current: Secret
  previous: { secret: Secret; expiresAt: number } | null
}

export interface DispatchTarget {
  ownerId: string
  runtimeId: string
  endpoint: string
  secrets: TargetSecrets
  /** Read where the endpoint refuses the secrets above: they may have been rotated since the execution began. */
  readSecrets?: () => Promise<TargetSecrets | null>
}

export interface DispatchCall {
  executionId: string
  callId: string
  capability: string
  input: JsonDocument<JsonObject>
  metadata: JsonDocument<JsonObject>
  endUserToken: Secret | undefined
  /** JSON text of who signed in, as the endpoint is told. */
  endUser?: Secret | undefined
  /** What the call asks for that does not run its capability; absent from calls that do. */
  mode?: CallMode | undefined
  /** Of a call that a person approved. */
  approval?: { approvalId: string; previewHash: string } | undefined
  /** Passed on where it is valid; else replaced by a new one. */
  traceparent?: string
  /** Counts the bytes of the answer while it arrives. */
  held?: Pick<HeldBytes, 'grow' | 'take'>
  /** Ends the call as cancelled. */
  signal?: StopSignal
}
