import type { Scenario } from '../support/scenario.ts'
import { growth } from './growth/growth.ts'

/** What `npm run bench` runs, in this order. */
export const BENCH_SCENARIOS: readonly Scenario[] = [growth]
