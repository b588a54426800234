import type { AccountDeps } from '../accounts/deps.ts'
import type { UsageAggregation } from '../analytics/aggregation.ts'
import type { BillingDeps } from '../billing/deps.ts'
import type { RunningExecutions } from '../executions/running.ts'
import type { CoreDeps } from '../lib/core-deps.ts'

export interface DeletionDeps extends AccountDeps, BillingDeps {
  running: RunningExecutions
}

/** The dependencies of the background work. */
export interface SweepDeps extends Pick<CoreDeps, 'db' | 'clock' | 'logger'> {
  aggregation: Pick<UsageAggregation, 'catchUp'>
}
