import type { Table } from '../../support/markdown-table.ts'
import {
  atMost,
  type Check,
  exactly,
  type Scenario,
  withFindings,
} from '../../support/scenario.ts'
import { median, rounded } from '../../support/statistics.ts'
import type { ReplicaRun } from './measure.ts'
import { measureReplicas, type ReplicaRuns } from './replica-runs.ts'

/** How much more processor time a call may take where three replicas share the work of one. */
const COST_MARK = 2

/** Broker calls against one, two and three replicas. */
export const replicas: Scenario = {
  name: 'replicas',
  title: 'broker calls against 1, 2 and 3 replicas on one PostgreSQL, of one owner and of many',
  engines: ['postgres'],
  tables: ['replicas'],
  async run(context) {
    const found = await measureReplicas(context)
    context.table(runTable('replicas', mediansOf(found.runs)))
    for (const { share, calls, query } of found.statements) {
      context.say(
        `${(share * 100).toFixed(1)} % of the database's time, ${calls} times: ${query.replaceAll(/\s+/g, ' ').slice(0, 150)}`,
      )
    }
    return checkReplicas(found)
  },
}

/** Pure: what must hold of a measurement, however fast the machine is. */
export function checkReplicas({ runs, answered, completed }: ReplicaRuns): Check[] {
  const middle = mediansOf(runs)
  const cost = (replicaCount: number, isOneOwner: boolean) => {
    const run = middle.find(({ replicas, owners }) => replicas === replicaCount && (owners === 1) === isOneOwner)
    return run === undefined ? Number.NaN : run.cpuPerCallMs.server + run.cpuPerCallMs.postgres
  }
  const failures = runs.reduce((sum, run) => sum + run.failures, 0)
  const kinds = runs.flatMap((run) => [...run.kinds].map(([kind, count]) => `${count} × ${kind}`))
  return [
    withFindings(exactly('calls that were not answered with 200', failures, 0), kinds),
    exactly('executions completed, against calls that the endpoint answered', completed, answered),
    atMost('many owners: processor time of a call, 3 replicas to 1', cost(3, false) / cost(1, false), COST_MARK),
    atMost('one owner: processor time of a call, 3 replicas to 1', cost(3, true) / cost(1, true), COST_MARK),
  ]
}

/** One run for each number of replicas, owners and clients: of each figure the median. */
export function mediansOf(runs: readonly ReplicaRun[]): ReplicaRun[] {
  const nameOf = (run: ReplicaRun) => `${run.replicas} ${run.owners} ${run.clients}`
  return [...new Set(runs.map(nameOf))].flatMap((name) => {
    const group = runs.filter((run) => nameOf(run) === name)
    const [first] = group
    if (first === undefined) return []
    const of = (figure: (run: ReplicaRun) => number) => median(group.map(figure))
    return [
      {
        ...first,
        calls: group.reduce((sum, { calls }) => sum + calls, 0),
        failures: group.reduce((sum, { failures }) => sum + failures, 0),
        callsPerSecond: of((run) => run.callsPerSecond),
        p50Ms: of((run) => run.p50Ms),
        p99Ms: of((run) => run.p99Ms),
        cpuPerCallMs: {
          server: of((run) => run.cpuPerCallMs.server),
          postgres: of((run) => run.cpuPerCallMs.postgres),
          generator: of((run) => run.cpuPerCallMs.generator),
        },
        processors: of((run) => run.processors),
        transactionsPerCall: of((run) => run.transactionsPerCall),
        walBytesPerCall: of((run) => run.walBytesPerCall),
        walSyncsPerCall: of((run) => run.walSyncsPerCall),
        waits: addCounts(group.map(({ waits }) => waits)),
        kinds: addCounts(group.map(({ kinds }) => kinds)),
      },
    ]
  })
}

function addCounts(parts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const part of parts) for (const [name, count] of part) sums.set(name, (sums.get(name) ?? 0) + count)
  return sums
}

function runTable(name: string, runs: readonly ReplicaRun[]): Table {
  const heads = ['replicas', 'owners', 'callers', 'calls/s', 'p50 / p99 ms', 'CPU µs: server + database + callers']
  const more = ['processors', 'transactions a call', 'log bytes a call', 'fsyncs a call', 'what statements were at']
  return { name, head: [...heads, ...more], rows: runs.map(cellsOf) }
}

function cellsOf(run: ReplicaRun): string[] {
  const { server, postgres, generator } = run.cpuPerCallMs
  return [
    String(run.replicas),
    String(run.owners),
    String(run.clients),
    rounded(run.callsPerSecond),
    `${rounded(run.p50Ms)} / ${rounded(run.p99Ms)}`,
    [server, postgres, generator].map((ms) => rounded(ms * 1_000)).join(' + '),
    rounded(run.processors),
    rounded(run.transactionsPerCall),
    String(Math.round(run.walBytesPerCall)),
    rounded(run.walSyncsPerCall),
    describeWaits(run.waits),
  ]
}

function describeWaits(waits: ReadonlyMap<string, number>): string {
  const total = [...waits.values()].reduce((sum, count) => sum + count, 0)
  return [...waits]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([event, count]) => `${event} ${Math.round((100 * count) / total)} %`)
    .join(', ')
}
