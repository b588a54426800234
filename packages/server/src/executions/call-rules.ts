import { z } from 'zod'

/** A call as it is recorded before it is sent. */
export interface NewCall {
  callId: string
  ordinal: number
  capability: string
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
  status: 'completed' | 'failed'
  /** JSON text; null for a failed call. */
  output: string | null
  error: string | null
  /** Null where no answer came. */
  durationMs: number | null
}

const DISPATCHED = { status: 'dispatched', output: null, error: null, durationMs: null } as const

/** A call as text. A row holds its calls as such texts with commas between them, so that one more can be appended. */
export function callText(call: NewCall | SettledCall): string {
  const { callId, ordinal, capability, step, input, startedAt } = call
  const { status, output, error, durationMs } = 'status' in call ? call : DISPATCHED
  const head = JSON.stringify({ callId, ordinal, capability, step, startedAt, status, durationMs, error })
  return `${head.slice(0, -1)},"input":${input},"output":${output}}`
}

export function callsText(calls: readonly (NewCall | SettledCall)[]): string | null {
  return calls.length === 0 ? null : calls.map(callText).join(',')
}

const StoredCalls = z.array(
  z.object({
    callId: z.string(),
    ordinal: z.number(),
    capability: z.string(),
    step: z.number(),
    startedAt: z.number(),
    status: z.enum(['dispatched', 'completed', 'failed']),
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

export const OUTCOME_UNKNOWN = 'The execution ended before the answer came: whether the call had an effect is unknown.'

export const UNANSWERED = { status: 'failed', output: null, error: OUTCOME_UNKNOWN, durationMs: null } as const

export function interruptedCalls(text: string | null): SettledCall[] {
  return readCalls(text).map((call) => ({ ...call, input: JSON.stringify(call.input), ...UNANSWERED }))
}
