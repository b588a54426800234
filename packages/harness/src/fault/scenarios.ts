import type { Scenario } from '../support/scenario.ts'
import { modelFaults } from './model-faults/model-faults.ts'

/** What `npm run fault` runs, in this order. */
export const FAULT_SCENARIOS: readonly Scenario[] = [modelFaults]
