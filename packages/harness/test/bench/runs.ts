import type { ReplicaRun } from '../../src/bench/replicas/measure.ts'

/** A measurement as good as any, but for what is given. */
export function replicaRun(given: Partial<ReplicaRun>): ReplicaRun {
  return {
    replicas: 1,
    owners: 100,
    clients: 64,
    calls: 1_000,
    failures: 0,
    kinds: new Map(),
    callsPerSecond: 500,
    p50Ms: 10,
    p99Ms: 30,
    cpuPerCallMs: { server: 0.5, postgres: 0.3, generator: 0.1 },
    processors: 2,
    transactionsPerCall: 0.2,
    walBytesPerCall: 4_000,
    walSyncsPerCall: 0.2,
    waits: new Map(),
    ...given,
  }
}
