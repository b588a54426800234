import type { PostgresCluster } from '../../support/postgres-cluster.ts'
import { machineCpuMs, ownCpuMs, usageOf } from '../../support/process-usage.ts'
import type { Random } from '../../support/random.ts'
import type { ServerProcess } from '../../support/server.ts'
import { quantile } from '../../support/statistics.ts'
import { createCallLoad } from '../load/call-load.ts'
import type { DatabaseWork, Observer } from './observe.ts'

/** Processor milliseconds of a call, by who spent them. */
export interface CpuPerCall {
  server: number
  postgres: number
  /** The callers and the owner's endpoint. */
  generator: number
}

/** One stretch of broker calls against some replicas. */
export interface ReplicaRun {
  replicas: number
  owners: number
  clients: number
  calls: number
  failures: number
  /** What became of the failures. */
  kinds: ReadonlyMap<string, number>
  callsPerSecond: number
  p50Ms: number
  p99Ms: number
  cpuPerCallMs: CpuPerCall
  /** Processors' worth of time that this run had: all there are, less what other programs took. */
  processors: number
  transactionsPerCall: number
  walBytesPerCall: number
  walSyncsPerCall: number
  waits: ReadonlyMap<string, number>
}

export interface RunPlan {
  servers: readonly ServerProcess[]
  clients: number
  owners: number
  paths: readonly [string, ...string[]]
  warmUpMs: number
  lengthMs: number
}

const FILL_EVERY_MS = 1_000

export interface Measuring {
  observer: Observer
  cluster: PostgresCluster
  random: Random
}

/** Calls for a while to warm up, and then counts. */
export async function measureRun({ observer, cluster, random }: Measuring, plan: RunPlan): Promise<ReplicaRun> {
  const { servers, clients, paths, lengthMs } = plan
  const load = createCallLoad({ urls: servers.map(({ url }) => url), clients, paths, random })
  // Those of many owners last for a run; filling them would take locks of all of them at once.
  const fill = () => (plan.owners === 1 ? observer.fillBuckets() : Promise.resolve())
  const filling = setInterval(() => void fill().catch(() => undefined), FILL_EVERY_MS)
  try {
    await observer.fillBuckets()
    await load.run(plan.warmUpMs)
    const watch = await observer.begin()
    const before = readClocks(servers, cluster)
    const result = await load.run(lengthMs)
    const after = readClocks(servers, cluster)
    const work = await watch.end()
    return summarize(plan, result, { before, after, work })
  } finally {
    clearInterval(filling)
    await load.close()
  }
}

interface Clocks {
  server: number
  postgres: number
  generator: number
  busy: number
  total: number
}

function readClocks(servers: readonly ServerProcess[], cluster: PostgresCluster): Clocks {
  const machine = machineCpuMs()
  return {
    server: servers.reduce((sum, { pid }) => sum + usageOf(pid).cpuMs, 0),
    postgres: cluster.cpuMs(),
    generator: ownCpuMs(),
    busy: machine.busyMs,
    total: machine.totalMs,
  }
}

function summarize(
  { servers, owners, clients }: RunPlan,
  result: Awaited<ReturnType<ReturnType<typeof createCallLoad>['run']>>,
  { before, after, work }: { before: Clocks; after: Clocks; work: DatabaseWork },
): ReplicaRun {
  const { calls, failures, kinds, latenciesMs, elapsedMs } = result
  const spent = (who: 'server' | 'postgres' | 'generator') => after[who] - before[who]
  const own = spent('server') + spent('postgres') + spent('generator')
  const others = Math.max(0, after.busy - before.busy - own)
  return {
    replicas: servers.length,
    owners,
    clients,
    calls,
    failures,
    kinds,
    callsPerSecond: (calls / elapsedMs) * 1_000,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    cpuPerCallMs: {
      server: spent('server') / calls,
      postgres: spent('postgres') / calls,
      generator: spent('generator') / calls,
    },
    processors: (after.total - before.total - others) / elapsedMs,
    transactionsPerCall: work.commits / calls,
    walBytesPerCall: work.walBytes / calls,
    walSyncsPerCall: work.walSyncs / calls,
    waits: work.waits,
  }
}
