import { atLeast, atMost, type Check, counted, exactly } from '../../support/scenario.ts'
import { quantile } from '../../support/statistics.ts'
import type { ProbeNotes } from '../support/probe.ts'
import type { SlowConnection, SlowKind } from './slow-connection.ts'

/**
 * How long the server may keep a slow connection, in milliseconds: its own limits (10 s for headers, 30 s for a request,
 * 65 s kept alive, 30 to 60 s for a reader who takes nothing) and some seconds to notice.
 */
export const KEPT_MS: Readonly<Record<Exclude<SlowKind, 'reader'>, number>> = {
  headers: 15_000,
  silent: 15_000,
  body: 35_000,
  'kept alive': 72_000,
}

export interface SlowRun {
  connections: readonly Pick<SlowConnection, 'kind' | 'connectedAt' | 'closedAt'>[]
  /** Readers whose execution the server has ended by itself, and all of them. */
  readersEnded: number
  readers: number
  health: ProbeNotes
  calls: ProbeNotes
  grownMb: number
}

const GROWTH_MB = 200
const HEALTH_MS = 250
const CALL_MS = 500

/** Judges a run: that others were served all the while, and that every slow connection was ended in its time. */
export function judgeSlow(run: SlowRun): Check[] {
  const { connections, health, calls } = run
  const kinds = [...new Set(connections.map(({ kind }) => kind))].filter((kind) => kind !== 'reader')
  return [
    counted('slow connections', connections.length),
    counted('of these, readers', run.readers),
    exactly(
      'slow connections that were never established',
      connections.filter((one) => one.connectedAt === null).length,
      0,
    ),
    ...kinds.map((kind) => judgeKind(connections, kind)),
    exactly('readers whose execution did not end', run.readers - run.readersEnded, 0),
    atLeast('health checks meanwhile', health.latenciesMs.length, 20),
    exactly('health checks that failed', health.failures, 0),
    atMost('p99 of /health', quantile(health.latenciesMs, 0.99), HEALTH_MS, 'ms'),
    atLeast('calls of others meanwhile', calls.latenciesMs.length, 20),
    exactly('calls of others that failed', calls.failures, 0),
    atMost('p99 of calls of others', quantile(calls.latenciesMs, 0.99), CALL_MS, 'ms'),
    atMost('memory grown', run.grownMb, GROWTH_MB, 'MB'),
  ]
}

function judgeKind(connections: SlowRun['connections'], kind: Exclude<SlowKind, 'reader'>): Check {
  const ofKind = connections.filter((one) => one.kind === kind)
  // One that is still open has been kept for ever.
  const kept = ofKind.map(({ connectedAt, closedAt }) => (closedAt ?? Number.POSITIVE_INFINITY) - (connectedAt ?? 0))
  return atMost(`longest that a connection was kept (${kind})`, Math.max(...kept), KEPT_MS[kind], 'ms')
}
