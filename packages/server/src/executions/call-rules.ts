import { CallStatus, CapabilityEffect } from '@svc/contract'
import { z } from 'zod'
import { EFFECT_UNKNOWN } from '../dispatch/failures.ts'

/** The endpoint’s later answer about an unknown call. */
const StoredReconciled = z.object({
  status: z.enum(['completed', 'failed', 'never']),
  output: z.unknown().optional(),
  message: z.string().optional(),
  at: z.number(),
})
export type StoredReconciled = z.infer<typeof StoredReconciled>

const StoredCall = z.object({
  callId: z.string(),
  ordinal: z.number(),
  capability: z.string(),
  step: z.number(),
  startedAt: z.number(),
  /** Absent from calls of earlier releases. */
  effect: CapabilityEffect.optional(),
  /** Whether it went out with an end user's token, which is not stored. */
  hasToken: z.boolean().optional(),
  /** A hash of the address that it is sent to. Absent where the deployment does not declare `reconcile`: nobody is asked. */
  sentTo: z.string().optional(),
  status: CallStatus,
  /** Since when its outcome is unknown. */
  unknownAt: z.number().optional(),
  reconciled: StoredReconciled.optional(),
  /** Null where no answer came. */
  durationMs: z.number().nullable(),
  error: z.string().nullable(),
  input: z.unknown(),
  output: z.unknown(),
})
const StoredCalls = z.array(StoredCall)
export type StoredCall = z.infer<typeof StoredCall>

type Begun = 'callId' | 'ordinal' | 'capability' | 'step' | 'startedAt' | 'effect' | 'hasToken' | 'sentTo'

/** A call as it is recorded before it is sent. `input` is JSON text. */
export type NewCall = Pick<StoredCall, Begun> & { input: string }

export type DispatchedCall = NewCall & { ownerId: string; executionId: string }

/** `output` is JSON text; null unless it is completed. */
export type SettledCall = NewCall &
  Pick<StoredCall, 'error' | 'durationMs' | 'unknownAt' | 'reconciled'> & {
    status: Exclude<CallStatus, 'dispatched'>
    output: string | null
  }

const DISPATCHED = {
  status: 'dispatched',
  output: null,
  error: null,
  durationMs: null,
  unknownAt: undefined,
  reconciled: undefined,
} as const

/** A call as text. A row holds its calls as such texts with commas between them, so that one more can be appended. */
export function callText(call: NewCall | SettledCall): string {
  const { callId, ordinal, capability, effect, hasToken, sentTo, step, input, startedAt } = call
  const { status, output, error, durationMs, unknownAt, reconciled } = 'status' in call ? call : DISPATCHED
  const outcome = { status, error, reconciled, startedAt, durationMs, unknownAt }
  const head = JSON.stringify({ callId, ordinal, capability, effect, hasToken, sentTo, step, ...outcome })
  return `${head.slice(0, -1)},"input":${input},"output":${output}}`
}

export function callsText(calls: readonly (NewCall | SettledCall)[]): string | null {
  return calls.length === 0 ? null : calls.map(callText).join(',')
}

/** Reads the calls of a row, in their order. A call that was written twice, after a lost answer, counts once. */
export function readCalls(text: string | null): StoredCall[] {
  const calls = StoredCalls.parse(JSON.parse(`[${text ?? ''}]`))
  return [...new Map(calls.map((call) => [call.callId, call])).values()].sort((a, b) => a.ordinal - b.ordinal)
}

export const ENDED_UNANSWERED = `The execution ended before the answer came: ${EFFECT_UNKNOWN}`

/** The end of a call without an answer, to be merged into its record. */
export const UNANSWERED = { status: 'unknown', output: null, error: ENDED_UNANSWERED, durationMs: null } as const

/** The calls of an interrupted execution. All are unknown, also those answered or not yet sent: only a settlement stores answers. */
export function interruptedCalls(text: string | null): SettledCall[] {
  return readCalls(text).map((call) => ({ ...call, input: JSON.stringify(call.input), ...UNANSWERED }))
}
