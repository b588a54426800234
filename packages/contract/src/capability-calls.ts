import * as z from 'zod'
import { Sha256Hex } from './canonical-json.ts'
import { EndUser } from './end-users.ts'
import { JsonObject } from './json.ts'

/**
 * What a call asks for that does not run its capability: what became of an earlier call (`reconcile`), or what a call would
 * do (`preview`). The calls of capabilities have no mode.
 */
export const CallMode = z.enum(['reconcile', 'preview'])
export type CallMode = z.infer<typeof CallMode>

/**
 * Body of the signed call to a runtime’s endpoint. `callId` is the same on a second try of the same call. `endUser` is who
 * signed in at the issuer that the manifest names. `approvalId` and `previewHash` stand on a call that a person approved. What
 * a runtime’s manifest does not ask for is left out.
 */
export const CapabilityCall = z.object({
  executionId: z.string(),
  callId: z.string(),
  capability: z.string(),
  input: JsonObject,
  metadata: JsonObject,
  endUserToken: z.string().optional(),
  endUser: EndUser.optional(),
  mode: CallMode.optional(),
  approvalId: z.string().min(1).optional(),
  previewHash: Sha256Hex.optional(),
})
export type CapabilityCall = z.infer<typeof CapabilityCall>

/** The reserved capability that the service calls to learn whether an endpoint answers. A 404 to it is an answer, too. */
export const PROBE_CAPABILITY = 'svc-probe'

// A code that is no text is an owner's own, and is left out.
const CallError = z.union([z.string(), z.object({ message: z.string(), code: z.string().optional().catch(undefined) })])

/** The endpoint’s answer, HTTP 200. With an `error` the call failed, whatever `output` holds. */
export const CapabilityAnswer = z.object({ output: z.unknown(), error: CallError.nullish() })
export type CapabilityAnswer = z.infer<typeof CapabilityAnswer>

/**
 * The `error.code` of an answer that is no outcome: the call was begun, and how it ended is not known. To a call it means
 * `unknown`, never `failed`; to a reconcile it means that the service asks again.
 */
export const OUTCOME_UNKNOWN = 'outcome_unknown'

/** The `error.code` of a call that was refused because it works for a signed-in user only. It is told to callers. */
export const END_USER_REQUIRED = 'end_user_required'

/** Codes in the receiving handler’s refusals, `{error: <code>}`, by HTTP status. */
export const RECEIVER_REFUSALS = {
  missing_headers: 401,
  runtime_mismatch: 401,
  timestamp_invalid: 401,
  timestamp_outside_tolerance: 401,
  signature_mismatch: 401,
  nonce_replayed: 401,
  nonce_store_cold: 401,
  invalid_json: 400,
  missing_capability: 400,
  raw_body_required: 400,
  unsupported_mode: 400,
  unknown_capability: 404,
} as const

export type ReceiverRefusal = keyof typeof RECEIVER_REFUSALS
