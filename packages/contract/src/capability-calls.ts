import * as z from 'zod'
import { JsonObject } from './json.ts'

/** Body of the signed call to a runtime’s endpoint. `callId` is the same on a second try of the same call. */
export const CapabilityCall = z.object({
  executionId: z.string(),
  callId: z.string(),
  capability: z.string(),
  input: JsonObject,
  metadata: JsonObject,
  endUserToken: z.string().optional(),
})
export type CapabilityCall = z.infer<typeof CapabilityCall>

/** The reserved capability that the service calls to learn whether an endpoint answers. A 404 to it is an answer, too. */
export const PROBE_CAPABILITY = 'svc-probe'

const CallError = z.union([z.string(), z.object({ message: z.string() })])

/** The endpoint’s answer, HTTP 200. With an `error` the call failed, whatever `output` holds. */
export const CapabilityAnswer = z.object({ output: z.unknown(), error: CallError.nullish() })
export type CapabilityAnswer = z.infer<typeof CapabilityAnswer>

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
  unknown_capability: 404,
} as const

export type ReceiverRefusal = keyof typeof RECEIVER_REFUSALS
