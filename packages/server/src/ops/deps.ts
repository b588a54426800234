import type { UsageAggregation } from '../analytics/aggregation.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import type { DrainState } from '../http/drain.ts'
import type { DatabaseClock } from '../store/database-clock.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'

export interface JobDeps extends ExecutionDeps {
  databaseClock: DatabaseClock
  aggregation: UsageAggregation
  outages: OutageLog
}

export interface ReadinessDeps extends Pick<JobDeps, 'db' | 'clock' | 'databaseClock' | 'lease' | 'metrics'> {
  drainState: DrainState
  nodeId: string
  probeMs?: number
}
