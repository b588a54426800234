import type { ServerResponse } from 'node:http'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { InFlight } from '../admission/in-flight.ts'
import type { LoopDelay } from '../admission/loop-delay.ts'
import type { LoopShare } from '../admission/loop-share.ts'
import type { RateLimit } from '../admission/rate-limit.ts'
import type { Clock } from '../lib/clock.ts'
import type { UnderWay } from '../lib/under-way.ts'
import type { Limits } from '../limits.ts'
import type { ServingCache } from '../runtimes/serving.ts'
import type { Schemas } from '../schemas/schemas.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Schema } from '../store/schema.ts'
import type { StorageRoom } from '../store/storage-room.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import type { Tracer } from '../telemetry/tracing.ts'
import type { AccountQueues } from './account-queues.ts'
import type { DrainState } from './drain.ts'

/** What the HTTP layer needs, beside what its routes hand to their use cases. */
export interface HttpDeps {
  db: Kysely<Schema>
  clock: Clock
  keyring: Keyring
  serving: ServingCache
  schemas: Schemas
  limits: Limits
  rateLimit: RateLimit
  accountQueues: AccountQueues
  inFlight: InFlight
  loopDelay: LoopDelay
  loopShare: LoopShare
  room: StorageRoom
  /** The answers that were not sent yet, nor given up. */
  requests: UnderWay<ServerResponse>
  drainState: DrainState
  metrics: Metrics
  tracer: Tracer
  logger: Logger
  outages: OutageLog
  /** The public address of the service. */
  baseUrl: () => string
  version: string
  /** How many proxies of the operator stand before the service. */
  proxyHops: number
}
