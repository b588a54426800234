import { atLeast, atMost, type Check, exactly } from '../../support/scenario.ts'
import type { AnswerFault, FaultKind } from '../support/judge-answer.ts'

/** What a run counted. */
export interface Tally {
  sent: number
  /** Answers by status. */
  statuses: Map<number, number>
  faults: Record<FaultKind, number>
  /** Operations that a request got into: whose answer was neither 401 nor 404, nor a refusal of the connection. */
  entered: Set<string>
}

export function newTally(): Tally {
  return {
    sent: 0,
    statuses: new Map(),
    faults: { 'server-error': 0, envelope: 0, internals: 0, unanswered: 0 },
    entered: new Set(),
  }
}

export function countAnswer(tally: Tally, operationId: string, status: number | null, fault: AnswerFault | null): void {
  tally.sent += 1
  if (fault) tally.faults[fault.kind] += 1
  if (status === null) return
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  if (status !== 401 && status !== 404) tally.entered.add(operationId)
}

export interface Aftermath {
  operationIds: readonly string[]
  requestsWanted: number
  isAlive: boolean
  errorLines: number
  grownMb: number
}

/** How much more memory a server may hold after a run than at its beginning. */
const GROWTH_MB = 250

/** Judges a run. Also that it struck: that requests of every kind of operation were taken, and most of them refused. */
export function judgeRun(tally: Tally, after: Aftermath): Check[] {
  const share = (from: number, to: number) => {
    const counts = [...tally.statuses].filter(([status]) => status >= from && status < to).map(([, count]) => count)
    return counts.reduce((sum, count) => sum + count, 0) / tally.sent
  }
  const missed = after.operationIds.filter((id) => !tally.entered.has(id))
  return [
    atLeast('requests', tally.sent, after.requestsWanted),
    exactly(
      `operations that no request got into${missed.length > 0 ? ` (${missed.join(', ')})` : ''}`,
      missed.length,
      0,
    ),
    atLeast('share of requests that were served', share(200, 300), 0.05),
    atLeast('share of requests that were refused', share(400, 500), 0.2),
    exactly('answers with a fault of the server’s (5xx)', tally.faults['server-error'], 0),
    exactly('answers that are not in the envelope', tally.faults.envelope, 0),
    exactly('answers that tell of internals', tally.faults.internals, 0),
    exactly('requests without an answer', tally.faults.unanswered, 0),
    exactly('lines of the log that tell of a fault', after.errorLines, 0),
    exactly('servers alive at the end', after.isAlive ? 1 : 0, 1),
    atMost('memory grown', after.grownMb, GROWTH_MB, 'MB'),
  ]
}
