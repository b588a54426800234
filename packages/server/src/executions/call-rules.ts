import { CallStatus, CapabilityEffect } from '@svc/contract'
import { z } from 'zod'
import { EFFECT_UNKNOWN } from '../dispatch/failures.ts'

/** A call as it is recorded before it is sent. */
export interface NewCall {
  callId: string
  ordinal: number
  capability: string
  /** Absent from calls of earlier releases. */
  effect?: CapabilityEffect | undefined
  /** Whether it went out with an end user's token, which is not stored. */
  hasToken?: boolean | undefined
  /** A hash of the address that it is sent to. Absent where the deployment does not declare `reconcile`: nobody is asked. */
  sentTo?: string | undefined
  step: number
  /** JSON text. */
  input: string
  startedAt: number
}

export interface DispatchedCall extends NewCall {
  ownerId: string
  executionId: string
}

export interface SettledCall extends NewCall {
  status: Exclude<CallStatus, 'dispatched'>
  /** JSON text; null unless it is completed. */
  output: string | null
  error: string | null
  /** Null where no answer came. */
  durationMs: number | null
  /** Since when its outcome is unknown. */
  unknownAt?: number | undefined
  reconciled?: StoredReconciled | undefined
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
  const times = { startedAt, durationMs, unknownAt }
  const head = JSON.stringify({
    callId,
    ordinal,
    capability,
    effect,
    hasToken,
    sentTo,
    step,
    status,
    error,
    reconciled,
    ...times,
  })
  return `${head.slice(0, -1)},"input":${input},"output":${output}}`
}

export function callsText(calls: readonly (NewCall | SettledCall)[]): string | null {
  return calls.length === 0 ? null : calls.map(callText).join(',')
}

/** What the endpoint said later of an unknown call. */
const StoredReconciled = z.object({
  status: z.enum(['completed', 'failed', 'never']),
  output: z.unknown().optional(),
  message: z.string().optional(),
  at: z.number(),
})

export type StoredReconciled = z.infer<typeof StoredReconciled>

const StoredCalls = z.array(
  z.object({
    callId: z.string(),
    ordinal: z.number(),
    capability: z.string(),
    step: z.number(),
    startedAt: z.number(),
    effect: CapabilityEffect.optional(),
    hasToken: z.boolean().optional(),
    sentTo: z.string().optional(),
    status: CallStatus,
    unknownAt: z.number().optional(),
    reconciled: StoredReconciled.optional(),
    durationMs: z.number().nullable(),
    error: z.string().nullable(),
    input: z.unknown(),
    output: z.unknown(),
  }),
)

export type StoredCall = z.infer<typeof StoredCalls>[number]

/** Reads the calls of a row, in their order. A call that was written twice, after a lost answer, counts once. */
export function readCalls(text: string | null): StoredCall[] {
  const calls = StoredCalls.parse(JSON.parse(`[${text ?? ''}]`))
  return [...new Map(calls.map((call) => [call.callId, call])).values()].sort((a, b) => a.ordinal - b.ordinal)
}

export const ENDED_UNANSWERED = `The execution ended before the answer came: ${EFFECT_UNKNOWN}`

/** The end of a call without an answer, to be merged into its record. */
export const UNANSWERED = { status: 'unknown', output: null, error: ENDED_UNANSWERED, durationMs: null } as const

/**
 * The calls of an interrupted execution, from its row. All are unknown, also those that were answered or not yet sent: only a
 * settlement stores answers.
 */
export function interruptedCalls(text: string | null): SettledCall[] {
  return readCalls(text).map((call) => ({ ...call, input: JSON.stringify(call.input), ...UNANSWERED }))
}
