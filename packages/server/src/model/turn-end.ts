import type { FinishReason } from './language-model.ts'
import type { ModelEvent } from './model.ts'
import { ENDED_UNKNOWN, MALFORMED_CALL, MODEL_BROKE_OFF, NOT_AVAILABLE, WITHHELD } from './model-failure.ts'

export type EndReason = Extract<ModelEvent, { type: 'end' }>['reason']

/** The meaning of a provider’s reason: an end of the turn, or a failure as a sentence for the caller. */
type TurnEnd = { ok: true; reason: EndReason } | { ok: false; message: string }

// Of reasons that libraries take for an end, or do not know.
const BY_RAW: ReadonlyMap<string, TurnEnd> = new Map<string, TurnEnd>([
  ['model_length', { ok: true, reason: 'length' }],
  ['pause_turn', { ok: false, message: ENDED_UNKNOWN }],
  ['insufficient_system_resource', { ok: false, message: NOT_AVAILABLE }],
  ['error', { ok: false, message: MODEL_BROKE_OFF }],
  ['MALFORMED_FUNCTION_CALL', { ok: false, message: MALFORMED_CALL }],
  ['UNEXPECTED_TOOL_CALL', { ok: false, message: MALFORMED_CALL }],
])

/** Only reasons that are known to mean an end are one: the calls of any other turn must not be run. */
export function turnEnd({ unified, raw = '' }: FinishReason): TurnEnd {
  const known = BY_RAW.get(raw)
  if (known !== undefined) return known
  if (unified === 'stop' || unified === 'length') return { ok: true, reason: unified }
  if (unified === 'tool-calls') return { ok: true, reason: 'tool_calls' }
  return { ok: false, message: unified === 'content-filter' ? WITHHELD : ENDED_UNKNOWN }
}
