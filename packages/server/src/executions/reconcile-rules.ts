import { RECONCILE_DELAYS_MS, ReconcileAnswer } from '@svc/contract'
import type { CallResult } from '../dispatch/call-result.ts'
import { TRUNCATED } from '../usage/truncated.js'
import type { SettledCall, StoredCall, StoredReconciled } from './call-rules.ts'
import { storedText, storedWords } from './rules.ts'

/** When the question after the one at `now` is due, about calls that are unknown since a time; null after the last one. */
export function nextQuestion(unknownSince: number, now: number): number | null {
  const delay = RECONCILE_DELAYS_MS.find((delayMs) => unknownSince + delayMs > now)
  return delay === undefined ? null : unknownSince + delay
}

/** What the endpoint said of a call; null where it did not tell, and is asked again. */
export function readAnswer(result: CallResult, at: number): StoredReconciled | null {
  if (!result.ok) return null
  const answer = ReconcileAnswer.safeParse(result.output.value)
  return answer.success ? { ...answer.data, at } : null
}

/**
 * An answer as a trace keeps it, under the rules of payloads. The token of an end user cannot be taken out of it, as it is not
 * stored: of a call that had one only the status is kept.
 */
export function keptAnswer(
  { hasToken }: StoredCall,
  { status, output, message, at }: StoredReconciled,
  { maxBytes, isFull }: { maxBytes: number; isFull: boolean },
): StoredReconciled {
  if (hasToken) return { status, at }
  const text = isFull ? TRUNCATED : storedText(JSON.stringify(output ?? null), maxBytes)
  return {
    status,
    ...(status === 'completed' && { output: JSON.parse(text) }),
    ...(message !== undefined && !isFull && { message: storedWords(message, maxBytes) }),
    at,
  }
}

/** A stored call of an ended execution, to be written again. */
export function asSettled({ status, input, output, ...call }: StoredCall): SettledCall {
  return {
    ...call,
    status: status === 'dispatched' ? 'unknown' : status,
    input: JSON.stringify(input),
    output: output === null || output === undefined ? null : JSON.stringify(output),
  }
}
