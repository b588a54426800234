import type { Scenario } from '../support/scenario.ts'

/** What `npm run fault` runs, in this order. */
export const FAULT_SCENARIOS: readonly Scenario[] = []
