import type { Scenario } from '../support/scenario.ts'
import { addedLatency } from './added-latency.ts'
import { broker } from './broker.ts'
import { growth } from './growth.ts'
import { replicas } from './replicas.ts'
import { streams } from './streams.ts'

/** What `npm run bench` runs, in this order. */
export const BENCH_SCENARIOS: readonly Scenario[] = [broker, addedLatency, streams, growth, replicas]
