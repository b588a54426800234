import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { InFlight } from '../admission/in-flight.ts'
import type { RateLimit } from '../admission/rate-limit.ts'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Limits } from '../limits.ts'
import type { Model } from '../model/model.ts'
import type { ServingCache } from '../runtimes/serving.ts'
import type { Schemas } from '../schemas/schemas.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Schema } from '../store/schema.ts'
import type { StorageRoom } from '../store/storage-room.ts'
import type { StreamedRuns } from '../streams/streamed-runs.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { StorageBudget } from '../usage/storage-budget-rules.ts'
import type { BatchWriter } from './batch-writer.ts'
import type { NodeLease } from './node-lease.ts'
import type { RunningExecutions } from './running.ts'
import type { Settlements } from './settlements.ts'

/** The parts that an execution passes through, from its request to its trace. */
export interface ExecutionDeps {
  db: Kysely<Schema>
  clock: Clock
  newId: NewId
  limits: Limits
  keyring: Keyring
  serving: ServingCache
  schemas: Schemas
  model: Model
  dispatcher: Dispatcher
  rateLimit: RateLimit
  inFlight: InFlight
  running: RunningExecutions
  streams: StreamedRuns
  lease: NodeLease
  batchWriter: BatchWriter
  settlements: Settlements
  storage: StorageBudget
  room: StorageRoom
  metrics: Metrics
  logger: Logger
}
