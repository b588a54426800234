import { hash } from 'node:crypto'
import { RECONCILE_DELAYS_MS, ReconcileAnswer } from '@svc/contract'
import type { CallResult } from '../dispatch/call-result.ts'
import { TRUNCATED } from '../usage/truncated.js'
import type { SettledCall, StoredCall, StoredReconciled } from './call-rules.ts'
import { storedText, storedWords } from './payload-rules.ts'

interface Served {
  endpoint: string | null
  deployment: { reconcile: boolean } | null
}

/** The hash of the address that calls are sent to; undefined where the deployment does not declare `reconcile`. */
export function askableAddressHash({ endpoint, deployment }: Served): string | undefined {
  return endpoint !== null && deployment?.reconcile ? addressHash(endpoint) : undefined
}

/** Addresses are long, and a row may hold many calls. */
export function addressHash(endpoint: string): string {
  return hash('sha256', endpoint).slice(0, 16)
}

type Asked = Pick<SettledCall, 'status' | 'sentTo' | 'unknownAt' | 'reconciled'>

/** When the endpoint is asked about each call: counted from when its outcome became unknown. */
function questionsOf({ status, sentTo, unknownAt, reconciled }: Asked | StoredCall): number[] {
  const isAsked = status === 'unknown' && sentTo !== undefined && unknownAt !== undefined && !reconciled
  return isAsked ? RECONCILE_DELAYS_MS.map((delayMs) => unknownAt + delayMs) : []
}

/** When the first question after a time is due; null where there is none. Of all questions it may lie in the past. */
export function nextQuestion(calls: readonly (Asked | StoredCall)[], after = Number.NEGATIVE_INFINITY): number | null {
  const later = calls.flatMap(questionsOf).filter((at) => at > after)
  return later.length === 0 ? null : Math.min(...later)
}

/** The calls with a question due from `dueAt` to `now`. Earlier questions were asked. */
export function dueCalls(calls: readonly StoredCall[], dueAt: number, now: number): StoredCall[] {
  return calls.filter((call) => questionsOf(call).some((at) => at >= dueAt && at <= now))
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
