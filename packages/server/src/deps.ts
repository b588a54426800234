import type { ServerResponse } from 'node:http'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { PasswordQueue } from './accounts/password-queue.ts'
import type { InFlight } from './admission/in-flight.ts'
import type { LoopDelay } from './admission/loop-delay.ts'
import type { LoopShare } from './admission/loop-share.ts'
import type { RateLimit } from './admission/rate-limit.ts'
import type { UsageAggregation } from './analytics/aggregation.ts'
import type { Payments } from './billing/payments/payments.ts'
import type { PublishedCache } from './deployments/discovery.ts'
import type { Dispatcher } from './dispatch/dispatch.ts'
import type { BatchWriter } from './executions/batch-writer.ts'
import type { NodeLease } from './executions/node-lease.ts'
import type { RunningExecutions } from './executions/running.ts'
import type { Settlements } from './executions/settlements.ts'
import type { AccountQueues } from './http/account-queues.ts'
import type { DrainState } from './http/drain.ts'
import type { Clock } from './lib/clock.ts'
import type { NewId } from './lib/ids.ts'
import type { KeyedSemaphore } from './lib/keyed-semaphore.ts'
import type { UnderWay } from './lib/under-way.ts'
import type { Limits } from './limits.ts'
import type { Model } from './model/model.ts'
import type { ServingCache } from './runtimes/serving.ts'
import type { Schemas } from './schemas/schemas.ts'
import type { Keyring } from './secrets/keyring.ts'
import type { DatabaseClock } from './store/database-clock.ts'
import type { Pause } from './store/outlast.ts'
import type { Schema } from './store/schema.ts'
import type { StorageRoom } from './store/storage-room.ts'
import type { Peers } from './streams/peers.ts'
import type { StreamedRuns } from './streams/streamed-runs.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { OutageLog } from './telemetry/outage-log.ts'
import type { Tracer } from './telemetry/tracing.ts'
import type { StorageBudget } from './usage/storage-budget-rules.ts'
import type { WebFiles } from './web/web-files.ts'

/** Everything that use cases need and do not make themselves. They take it first and narrow it: `Pick<Deps, …>`. */
export interface Deps {
  db: Kysely<Schema>
  clock: Clock
  databaseClock: DatabaseClock
  newId: NewId
  keyring: Keyring
  passwords: PasswordQueue
  limits: Limits
  model: Model
  dispatcher: Dispatcher
  serving: ServingCache
  published: PublishedCache
  schemas: Schemas
  rateLimit: RateLimit
  batchWriter: BatchWriter
  /** Between tries to reach a database that is away. */
  pause: Pause
  settlements: Settlements
  aggregation: UsageAggregation
  lease: NodeLease
  running: RunningExecutions
  streams: StreamedRuns
  /** Other replicas, which may run what this one is asked for. */
  peers: Peers
  nodeId: string
  /** Their answers, until these have left or were given up. */
  requests: UnderWay<ServerResponse>
  drainState: DrainState
  /** Null where no provider is configured: nobody can pay. */
  payments: Payments | null
  paymentCalls: KeyedSemaphore
  /** Requests on the owner and the deploy plane, by account. */
  accountQueues: AccountQueues
  inFlight: InFlight
  loopDelay: LoopDelay
  loopShare: LoopShare
  storage: StorageBudget
  room: StorageRoom
  metrics: Metrics
  tracer: Tracer
  logger: Logger
  outages: OutageLog
  /** What browsers load from the service itself. */
  web: WebFiles
  /** The public address that manifests publish; known once the server listens where it was not configured. */
  baseUrl: () => string
  /** Every address that leads to the service: no endpoint may. */
  ownUrls: () => readonly string[]
  version: string
  /** How many proxies of the operator's own stand before the service; the caller's address is what the first of them saw. */
  proxyHops: number
}
