import type { StorageBudget } from '../usage/storage-budget-rules.ts'
import { TRUNCATED } from '../usage/truncated.js'
import type { NewRow, Settlement } from './batch-rules.ts'
import type { SettledCall } from './call-rules.ts'
import { type Ending, settlementOf } from './settlement-rules.ts'

/** An execution's end as it is stored, counted: without payloads where these would fill what the account's plan allows. */
export function withinBudget(storage: StorageBudget, begun: NewRow, end: Ending): Settlement {
  const ownerId = begun.owner_id
  const whole = settlementOf(begun, end)
  const settlement = storage.isPast(ownerId, whole.usage.storedBytes) ? withoutPayloads(begun, end, whole) : whole
  storage.add(ownerId, settlement.usage.storedBytes)
  return settlement
}

/** The first calls without their payloads, and no turns of the model. What is counted and charged stays whole. */
function withoutPayloads(begun: NewRow, end: Ending, { row, usage, heardFrom }: Settlement): Settlement {
  const cut = settlementOf(
    // Its metadata stays as it was stored at the beginning, and is counted so.
    begun,
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
