import * as z from 'zod'
import { Timestamp } from './json.ts'

/** What a call of a capability does: nothing (`read`), a change (`write`), or one that cannot be taken back (`destructive`). */
export const CapabilityEffect = z.enum(['read', 'write', 'destructive'])
export type CapabilityEffect = z.infer<typeof CapabilityEffect>

/** The effect of a capability that declares none. */
export const DEFAULT_EFFECT: CapabilityEffect = 'write'

/** When the service asks what became of an unknown call, in milliseconds after the call became unknown. */
export const RECONCILE_DELAYS_MS = [5_000, 60_000, 600_000, 3_600_000] as const

/** What follows the id of a call in the `idempotency-key` of a call with a mode: `<callId>:reconcile`. */
export const IDEMPOTENCY_SUFFIXES = { reconcile: ':reconcile', preview: ':preview' } as const

/** What became of a call. */
export const CallStatus = z
  .enum(['dispatched', 'completed', 'failed', 'unknown'])
  .describe('`unknown`: bytes of the call may have left and no answer came, so it may or may not have taken effect.')
export type CallStatus = z.infer<typeof CallStatus>

/** What service and SDK write into the `message` of a result whose outcome is unknown: results have no field for it. */
const UNKNOWN_WORDS = /whether the call had an effect is unknown|took effect is not known|may have taken effect/i

/** Whether the message of a result says that nobody knows whether the call took effect. */
export function saysUnknown(message: string): boolean {
  return UNKNOWN_WORDS.test(message)
}

/** The `output` of the answer to a call with `mode: "reconcile"`. `never`: the call was not begun, and never will be. */
export const ReconcileAnswer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('completed'), output: z.unknown() }),
  z.object({ status: z.literal('failed'), message: z.string() }),
  z.object({ status: z.literal('never') }),
])
export type ReconcileAnswer = z.infer<typeof ReconcileAnswer>

/** What the endpoint said later of an unknown call, as its trace keeps it beside `status: unknown`. */
export const Reconciled = z.object({
  status: z.enum(['completed', 'failed', 'never']),
  output: z.unknown().optional(),
  message: z.string().optional(),
  at: Timestamp,
})
export type Reconciled = z.infer<typeof Reconciled>

/** Stands beside `failedCalls`. */
export const UnknownCalls = z
  .int()
  .nonnegative()
  .describe('Capability calls whose outcome is unknown; none of them is among `failedCalls`.')
