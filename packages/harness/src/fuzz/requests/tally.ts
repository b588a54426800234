import { atLeast, atMost, type Check, exactly, withFindings } from '../../support/scenario.ts'
import type { AnswerFault, FaultKind } from '../support/judge-answer.ts'

/** What a run counted. */
export interface Tally {
  sent: number
  /** Answers by status. */
  statuses: Map<number, number>
  faults: Record<FaultKind, number>
  /** Targets that were carried out at least once. */
  served: Set<string>
  /** Changes by cookie that no page of the service's own had asked for, and that were let in. */
  letInFromElsewhere: number
  /** Connections that brought more than the answers to what was asked: somebody else's, or one answer too many. */
  leftovers: number
}

export function newTally(): Tally {
  return {
    sent: 0,
    statuses: new Map(),
    faults: { 'server-error': 0, envelope: 0, internals: 0, unanswered: 0 },
    served: new Set(),
    letInFromElsewhere: 0,
    leftovers: 0,
  }
}

/** A browser that has sent a form is sent on. */
const SEE_OTHER = 303

export function countAnswer(tally: Tally, target: string, status: number | null, fault: AnswerFault | null): void {
  tally.sent += 1
  if (fault) tally.faults[fault.kind] += 1
  if (status === null) return
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  if ((status >= 200 && status < 300) || status === SEE_OTHER) tally.served.add(target)
}

export interface Aftermath {
  targets: readonly string[]
  requestsWanted: number
  /** Every one that was attacked. */
  servers: readonly ServerAftermath[]
  errorLines: number
}

export interface ServerAftermath {
  isAlive: boolean
  grownMb: number
}

/** How much more memory a server may hold after a run than at its beginning. */
const GROWTH_MB = 250

/** Whoever is told to come back later has not been judged by what was sent. */
const RATE_LIMITED_SHARE = 0.05

const LARGEST_PLAN = 'the owner is on the largest plan: there is nothing to pay for'
const NO_CHECKOUT = 'there is no checkout, for the same reason'

/** Operations that cannot be carried out here, and why. */
const NEVER_SERVED: Readonly<Record<string, string>> = {
  changePassword: 'who is known by a key has no password to name',
  startCheckout: LARGEST_PLAN,
  'startCheckout by cookie': LARGEST_PLAN,
  verifyCheckout: NO_CHECKOUT,
  'verifyCheckout by cookie': NO_CHECKOUT,
}

/** Judges a run. Also that it struck: that requests of every kind of operation were taken, and most of them refused. */
export function judgeRun(tally: Tally, after: Aftermath): Check[] {
  const share = (from: number, to: number) => {
    const counts = [...tally.statuses].filter(([status]) => status >= from && status < to).map(([, count]) => count)
    return counts.reduce((sum, count) => sum + count, 0) / tally.sent
  }
  const missed = after.targets.filter((id) => !tally.served.has(id) && !(id in NEVER_SERVED))
  return [
    atLeast('requests', tally.sent, after.requestsWanted),
    withFindings(exactly('operations that were never carried out', missed.length, 0), missed),
    atLeast('share of requests that were served', share(200, 300), 0.05),
    atLeast('share of requests that were refused', share(400, 500), 0.2),
    atMost('share of requests that were too many', share(429, 430), RATE_LIMITED_SHARE),
    exactly('answers with a fault of the server’s (5xx)', tally.faults['server-error'], 0),
    exactly('answers that are not in the envelope', tally.faults.envelope, 0),
    exactly('answers that tell of internals', tally.faults.internals, 0),
    exactly('requests without an answer', tally.faults.unanswered, 0),
    exactly('connections that brought more than their answers', tally.leftovers, 0),
    exactly('changes by cookie for pages of others that were let in', tally.letInFromElsewhere, 0),
    exactly('lines of the log that tell of a fault', after.errorLines, 0),
    exactly('servers alive at the end', after.servers.filter(({ isAlive }) => isAlive).length, after.servers.length),
    atMost('memory grown, of the server that grew most', mostGrown(after.servers), GROWTH_MB, 'MB'),
  ]
}

function mostGrown(servers: readonly ServerAftermath[]): number {
  return Math.max(...servers.map(({ grownMb }) => grownMb))
}
