import { atLeast, atMost, type Check, exactly } from '../../support/scenario.ts'
import { quantile } from '../../support/statistics.ts'
import type { ProbeNotes } from '../support/probe.ts'
import type { LoadNotes } from './generator/load.ts'

/** What the server does when nobody asks more of it than it can. */
export interface Capacity {
  perSecond: number
  p99Ms: number
}

const GOODPUT_SHARE = 0.55
const P99_FACTOR = 4
const HEALTH_MS = 100
/** Below this share of the load there was no overload. */
const SENT_SHARE = 0.9
/** Where other programs take more of the processors, it is them that are measured. */
const OTHERS_SHARE = 0.1

export interface OverloadRun {
  capacity: Capacity
  load: LoadNotes
  health: ProbeNotes
  isAlive: boolean
  /** What programs other than server, endpoint and generator took of the processors' time. */
  othersShare: number
}

export function capacityOf({ servedMs, measuredMs }: LoadNotes): Capacity {
  return { perSecond: (servedMs.length / measuredMs) * 1000, p99Ms: quantile(servedMs, 0.99) }
}

/** Judges the overload against what the server can do: the work that gets done, how fast, and how the rest is refused. */
export function judgeOverload({ capacity, load, health, isAlive, othersShare }: OverloadRun): Check[] {
  const { due, unsent, byStatus } = load
  const served = capacityOf(load)
  const refused = byStatus['429'] ?? 0
  const answered = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
  return [
    atMost('share of the processors that other programs took', othersShare, OTHERS_SHARE),
    atLeast('share of the offered requests that were sent', (due - unsent) / due, SENT_SHARE),
    atLeast('offered, as a multiple of the capacity', due / load.measuredMs / (capacity.perSecond / 1000), 4.5),
    atLeast('goodput, of the peak', served.perSecond / capacity.perSecond, GOODPUT_SHARE),
    atMost('p99 of what was served, of that at the peak', served.p99Ms / capacity.p99Ms, P99_FACTOR),
    atMost('p99 of /live on the operations port', quantile(health.latenciesMs, 0.99), HEALTH_MS, 'ms'),
    exactly('health checks that failed', health.failures, 0),
    atLeast('requests refused with 429', refused, 1),
    exactly('requests answered by other than 200 and 429', answered - load.servedMs.length - refused, 0),
    exactly('refusals without Retry-After', load.withoutRetryAfter, 0),
    exactly('requests without an answer', load.broken, 0),
    exactly('answers with the id of another request', load.otherIds, 0),
    exactly('connections that brought more than their answers', load.leftovers, 0),
    exactly('servers alive at the end', isAlive ? 1 : 0, 1),
  ]
}
