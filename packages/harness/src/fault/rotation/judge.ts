import type { CallRow, ExecutionRow } from '../rows.ts'

/** A request as a receiver got it. */
export interface Arrival {
  /** Position of the secret that signed it among all that the runtime ever had; -1 for none of them. */
  generation: number
  /** By the service's own clock, epoch milliseconds. */
  signedAt: number
  executionId: string
  /** One for every call that is meant to happen once, however often it is sent. */
  callId: string
  isAccepted: boolean
}

/** A secret that gave way to the next one. */
export interface Retirement {
  generation: number
  /** From then on nothing may be signed with it, epoch milliseconds. */
  expiresAt: number
}

export interface RotationHistory {
  /** Answers that callers got, and whether each was what a working endpoint answers. */
  answers: readonly { isGood: boolean }[]
  receivers: readonly { arrivals: readonly Arrival[]; retirements: readonly Retirement[] }[]
  rows: readonly ExecutionRow[]
  calls: readonly CallRow[]
}

export interface RotationFindings {
  failedAnswers: number
  failedCalls: number
  /** Calls that some receiver took twice. */
  repeated: number
  signedByNobody: number
  /** Requests signed with a secret whose grace had ended, of calls that were admitted after that. */
  signedTooLate: number
  /** Such requests that a receiver took, of whichever calls. */
  acceptedTooLate: number
  /** Requests that were refused first and answered under the other secret. */
  signedAnew: number
}

// Between the look at the clock that chooses the secret and the one that stamps the signature.
const STAMPING_MS = 250

export function judgeRotation({ answers, receivers, rows, calls }: RotationHistory): RotationFindings {
  const kinds = new Map(rows.map(({ executionId, kind }) => [executionId, kind]))
  const arrivals = receivers.flatMap(({ arrivals, retirements }) =>
    arrivals.map((arrival) => ({ arrival, retirements })),
  )
  const late = arrivals
    .filter(({ arrival, retirements }) => isTooLate(arrival, retirements))
    .map(({ arrival }) => arrival)
  const accepted = arrivals.filter(({ arrival }) => arrival.isAccepted).map(({ arrival }) => arrival)
  return {
    failedAnswers: answers.filter(({ isGood }) => !isGood).length,
    failedCalls: calls.filter(({ status }) => status !== 'completed').length,
    repeated: accepted.length - new Set(accepted.map(({ callId }) => callId)).size,
    signedByNobody: arrivals.filter(({ arrival }) => arrival.generation === -1).length,
    // An execution that began before the rotation may still try the secret that it began with, and is refused.
    signedTooLate: late.filter(({ executionId }) => kinds.get(executionId) !== 'execute').length,
    acceptedTooLate: late.filter(({ isAccepted }) => isAccepted).length,
    signedAnew: arrivals.length - accepted.length,
  }
}

function isTooLate({ generation, signedAt }: Arrival, retirements: readonly Retirement[]): boolean {
  const retirement = retirements.find((each) => each.generation === generation)
  return retirement !== undefined && signedAt > retirement.expiresAt + STAMPING_MS
}
