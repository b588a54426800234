import type { Scenario } from '../support/scenario.ts'

/** What `npm run fuzz` runs, in this order. */
export const FUZZ_SCENARIOS: readonly Scenario[] = []
