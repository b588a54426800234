import type { CoreDeps } from '../lib/core-deps.ts'
import type { UsageAggregation } from './aggregation.ts'

/** What reads of the counters need: they aggregate the usage journal first. */
export interface AnalyticsDeps extends CoreDeps {
  aggregation: UsageAggregation
}
