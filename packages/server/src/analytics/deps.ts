import type { CoreDeps } from '../lib/core-deps.ts'
import type { UsageAggregation } from './aggregation.ts'

export interface AnalyticsDeps extends CoreDeps {
  aggregation: UsageAggregation
}
