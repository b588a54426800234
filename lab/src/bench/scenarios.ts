import type { Scenario } from '../support/scenario.ts'
import { broker } from './broker.ts'
import { growth } from './growth.ts'
import { mcp } from './mcp.ts'
import { replicas } from './replicas.ts'
import { streams } from './streams.ts'

/** The scenarios of `npm run bench`, in the order of a run. */
export const BENCH_SCENARIOS: readonly Scenario[] = [broker, mcp, streams, growth, replicas]
