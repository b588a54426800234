import type { Deps } from '../deps.ts'
import type { StorageBudget } from '../usage/storage-budget.ts'
import { TRUNCATED } from '../usage/truncated.js'
import type { NewRow, Settlement } from './batch-rules.ts'
import type { NewCall, SettledCall } from './call-rules.ts'
import type { Admitted } from './enter.ts'
import type { Outcome } from './outcome.ts'
import { storedShape, storedWords } from './rules.ts'
import { type Ending, settlementOf } from './settlement-rules.ts'
import { UNRECORDED } from './settlements.ts'
import type { RecordedTrace } from './trace-recorder.ts'

export interface SettledOutcome {
  outcome: Outcome
  durationMs: number
}

/**
 * Writes an execution's end and returns what its caller is told. They are the same: where the end could not be written,
 * or somebody else has written another, the caller hears of a failure. Rejects where that cannot be known: nothing may be
 * told then that would bind.
 */
export async function settle(
  deps: Pick<Deps, 'settlements' | 'clock' | 'metrics' | 'limits' | 'storage'>,
  admitted: Admitted<NewCall | null>,
  outcome: Outcome,
  trace: RecordedTrace,
): Promise<SettledOutcome> {
  const { kind, started_at: startedAt } = admitted.row
  const completedAt = Math.max(deps.clock.now(), startedAt)
  const { storedBytes } = deps.limits
  const settlement = withinBudget(deps.storage, admitted.row, {
    ...outcome,
    ...trace,
    error: outcome.error && storedWords(outcome.error, storedBytes),
    messageShape: storedShape(trace.messageShape, storedBytes),
    completedAt,
  })
  const isSettled = await deps.settlements.settle(settlement)
  const durationMs = completedAt - startedAt
  const told: Outcome = isSettled ? outcome : { status: 'failed', finishReason: 'error', error: UNRECORDED }
  const { status, finishReason } = told
  deps.metrics.executionEnded({ kind, status, finishReason, durationMs })
  return { outcome: told, durationMs }
}

function withinBudget(storage: StorageBudget, begun: NewRow, end: Ending): Settlement {
  const ownerId = begun.owner_id
  const whole = settlementOf(begun, end)
  const settlement = storage.isPast(ownerId, whole.usage.storedBytes) ? withoutPayloads(begun, end, whole) : whole
  storage.add(ownerId, settlement.usage.storedBytes)
  return settlement
}

/** The first calls without their payloads, and no turns of the model. What is counted and charged stays whole. */
function withoutPayloads(begun: NewRow, end: Ending, { row, usage, heardFrom }: Settlement): Settlement {
  const cut = settlementOf(
    { ...begun, metadata: begun.metadata && TRUNCATED },
    {
      ...end,
      messageShape: '[]',
      error: end.error?.slice(0, ERROR_CHARACTERS) ?? null,
      steps: [],
      calls: end.calls.slice(0, CALLS_KEPT).map(withoutPayload),
    },
  )
  const { steps, call_count, failed_calls } = row
  const { storedBytes } = cut.usage
  return { row: { ...cut.row, steps, call_count, failed_calls }, usage: { ...usage, storedBytes }, heardFrom }
}

function withoutPayload(call: SettledCall): SettledCall {
  const { output, error } = call
  const isErrorShort = Buffer.byteLength(JSON.stringify(error)) <= CALL_ERROR_BYTES
  return {
    ...call,
    input: TRUNCATED,
    output: output === null ? null : TRUNCATED,
    error: isErrorShort ? error : ERROR_NOT_KEPT,
  }
}

const ERROR_CHARACTERS = 200
const CALLS_KEPT = 10
const CALL_ERROR_BYTES = 80
const ERROR_NOT_KEPT = 'The error is not kept: the account has no room.'
