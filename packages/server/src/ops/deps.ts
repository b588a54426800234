import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { UsageAggregation } from '../analytics/aggregation.ts'
import type { NodeLease } from '../executions/node-lease.ts'
import type { ReconcileDeps } from '../executions/reconcile.ts'
import type { Settlements } from '../executions/settlements.ts'
import type { DrainState } from '../http/drain.ts'
import type { Clock } from '../lib/clock.ts'
import type { DatabaseClock } from '../store/database-clock.ts'
import type { Schema } from '../store/schema.ts'
import type { StorageRoom } from '../store/storage-room.ts'
import type { StreamedRuns } from '../streams/streamed-runs.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'

interface OpsDeps {
  db: Kysely<Schema>
  clock: Clock
  databaseClock: DatabaseClock
  lease: NodeLease
  metrics: Metrics
}

/** What the background jobs need. */
export interface JobDeps extends OpsDeps, ReconcileDeps {
  settlements: Settlements
  streams: StreamedRuns
  aggregation: UsageAggregation
  room: StorageRoom
  outages: OutageLog
  logger: Logger
}

/** What the readiness probe needs. */
export interface ReadinessDeps extends OpsDeps {
  drainState: DrainState
  nodeId: string
  probeMs?: number
}
