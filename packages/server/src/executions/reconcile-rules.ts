import { hash } from 'node:crypto'
import { RECONCILE_DELAYS_MS, ReconcileAnswer } from '@svc/contract'
import type { CallResult } from '../dispatch/call-result.ts'
import { TRUNCATED } from '../usage/truncated.js'
import type { SettledCall, StoredCall, StoredReconciled } from './call-rules.ts'
import { truncatedJson, truncatedText } from './payload-rules.ts'

interface Served {
  endpoint: string | null
  deployment: { reconcile: boolean } | null
}

/** The hash of the address that calls are sent to; undefined where the deployment does not declare `reconcile`. */
export function reconcileAddressHash({ endpoint, deployment }: Served): string | undefined {
  return endpoint !== null && deployment?.reconcile ? addressHash(endpoint) : undefined
}

/** Addresses are long, and a row may hold many calls. */
export function addressHash(endpoint: string): string {
  return hash('sha256', endpoint).slice(0, 16)
}

type ReconcileState = StoredCall | Pick<SettledCall, 'status' | 'sentTo' | 'unknownAt' | 'reconciled'>

/** When reconcile requests for a call are due: counted from when its outcome became unknown. */
function reconcileTimesOf({ status, sentTo, unknownAt, reconciled }: ReconcileState): number[] {
  const isOpen = status === 'unknown' && sentTo !== undefined && unknownAt !== undefined && !reconciled
  return isOpen ? RECONCILE_DELAYS_MS.map((delayMs) => unknownAt + delayMs) : []
}

/** When the first reconcile request after `after` is due; null for none. Without `after` the time may be past. */
export function nextReconcileAt(calls: readonly ReconcileState[], after = Number.NEGATIVE_INFINITY): number | null {
  const later = calls.flatMap(reconcileTimesOf).filter((at) => at > after)
  return later.length === 0 ? null : Math.min(...later)
}

/** The calls with a reconcile request due from `dueAt` to `now`. Earlier requests were made. */
export function dueCalls(calls: readonly StoredCall[], dueAt: number, now: number): StoredCall[] {
  return calls.filter((call) => reconcileTimesOf(call).some((at) => at >= dueAt && at <= now))
}

/** What the endpoint answered about a call; null where the answer tells nothing, and another request follows. */
export function parseReconcileAnswer(result: CallResult, at: number): StoredReconciled | null {
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
  const text = isFull ? TRUNCATED : truncatedJson(JSON.stringify(output ?? null), maxBytes)
  return {
    status,
    ...(status === 'completed' && { output: JSON.parse(text) }),
    ...(message !== undefined && !isFull && { message: truncatedText(message, maxBytes) }),
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
