import type { Scenario } from '../support/scenario.ts'
import { broker } from './broker/broker.ts'
import { growth } from './growth/growth.ts'
import { addedLatency } from './latency/added-latency.ts'
import { partitions } from './operations/partitions.ts'
import { pooling } from './operations/pooling.ts'
import { measureReplicas, type ReplicaRuns } from './replicas/replica-runs.ts'
import { replicas } from './replicas/replicas.ts'
import { scaleSimulation } from './simulation/scale-simulation.ts'
import { streams } from './streams/streams.ts'

// Whichever of them comes first measures; what it measured is the other's, too.
let found: Promise<ReplicaRuns> | null = null
const measured = (context: Parameters<typeof measureReplicas>[0]): Promise<ReplicaRuns> => {
  found ??= measureReplicas(context)
  return found
}

/** What `npm run bench` runs, in this order. */
export const BENCH_SCENARIOS: readonly Scenario[] = [
  broker,
  addedLatency,
  streams,
  growth,
  replicas(measured),
  scaleSimulation(measured),
  pooling,
  partitions,
]
