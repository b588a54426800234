import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { InFlight } from '../admission/in-flight.ts'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { NodeLease } from '../executions/node-lease.ts'
import type { RunningExecutions } from '../executions/running.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Limits } from '../limits.ts'
import type { ServingCache } from '../runtimes/serving.ts'
import type { Schemas } from '../schemas/schemas.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Pause } from '../store/outlast.ts'
import type { Schema } from '../store/schema.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { StorageBudget } from '../usage/storage-budget-rules.ts'

/** What asking for an approval, and deciding on one, needs; functions take their part of it. */
export interface ApprovalDeps {
  db: Kysely<Schema>
  clock: Clock
  newId: NewId
  limits: Limits
  keyring: Keyring
  serving: ServingCache
  schemas: Schemas
  dispatcher: Dispatcher
  lease: NodeLease
  running: RunningExecutions
  inFlight: InFlight
  storage: StorageBudget
  /** Between tries to reach a database that is away. */
  pause: Pause
  metrics: Metrics
  logger: Logger
}
