import type { Scenario } from '../support/scenario.ts'
import { broker } from './broker/broker.ts'
import { growth } from './growth/growth.ts'
import { addedLatency } from './latency/added-latency.ts'
import { replicas } from './replicas/replicas.ts'
import { streams } from './streams/streams.ts'

/** What `npm run bench` runs, in this order. */
export const BENCH_SCENARIOS: readonly Scenario[] = [broker, addedLatency, streams, growth, replicas]
