import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createPasswordQueue } from './accounts/password-queue.ts'
import type { PasswordHasher } from './accounts/scrypt.ts'
import { InFlight } from './admission/in-flight.ts'
import { type LoopDelay, NO_DELAY } from './admission/loop-delay.ts'
import { LoopShare } from './admission/loop-share.ts'
import { createRateLimit } from './admission/rate-limit.ts'
import { createUsageAggregation } from './analytics/aggregation.ts'
import { createPaymentCalls } from './billing/checkout.ts'
import type { Payments } from './billing/payments/payments.ts'
import { createPublishedCache } from './deployments/discovery.ts'
import type { AnswerThread } from './dispatch/answer-thread.ts'
import { createDispatcher, type Dispatcher } from './dispatch/dispatch.ts'
import { createBatchStore, type WriteBatch } from './executions/batch-store.ts'
import { type BatchWriter, createBatchWriter } from './executions/batch-writer.ts'
import { NodeLease } from './executions/node-lease.ts'
import type { NodeSettings } from './executions/node-settings-rules.ts'
import { RunningExecutions } from './executions/running.ts'
import { Settlements } from './executions/settlements.ts'
import { createAccountQueues } from './http/account-queues.ts'
import type { DrainState } from './http/drain.ts'
import { type Clock, monotonicClock, systemClock } from './lib/clock.ts'
import { createIds } from './lib/ids.ts'
import { UnderWay } from './lib/under-way.ts'
import type { Limits } from './limits.ts'
import type { Model } from './model/model.ts'
import { createServingCache } from './runtimes/serving.ts'
import type { Schemas } from './schemas/schemas.ts'
import type { Keyring } from './secrets/keyring.ts'
import type { DatabaseClock } from './store/database-clock.ts'
import type { Database } from './store/open.ts'
import type { Pause } from './store/outlast.ts'
import { createStorageRoom } from './store/storage-room.ts'
import { createPeers } from './streams/peers.ts'
import { StreamedRuns } from './streams/streamed-runs.ts'
import { type Gauges, type Metrics, NO_METRICS } from './telemetry/metrics.ts'
import { createOutageLog, type OutageLog } from './telemetry/outage-log.ts'
import { NO_TRACER, type Tracer } from './telemetry/tracing.ts'
import { StorageBudget } from './usage/storage-budget-rules.ts'
import { NO_WEB_FILES, type WebFiles } from './web/web-files.ts'

export interface DepsOptions {
  keyring: Keyring
  limits: Limits
  model: Model
  /** Null where no provider is configured: nobody can pay. */
  payments: Payments | null
  schemas: Schemas
  logger: Logger
  /** The public address that manifests publish; known once the server listens where it was not configured. */
  baseUrl: () => string
  version: string
  clock?: Clock
  databaseClock?: DatabaseClock
  dispatcher?: Dispatcher
  loopDelay?: LoopDelay
  metrics?: Metrics
  outages?: OutageLog
  /** Proxies of the operator's own before the service; the caller's address is what the first of them saw. Default: none. */
  proxyHops?: number
  tracer?: Tracer
  web?: WebFiles
  database: Database
  nodeId: string
  allowLocalEndpoints: boolean
  /** Where the server listens, once it does. Default: at its base address. */
  listeningUrl?: () => string
  /** Where this server takes requests of other replicas. Default: nowhere. */
  nodeUrl?: string | null
  /** Settings that replicas compare. Default: none. */
  settings?: NodeSettings
  passwordHasher?: PasswordHasher
  /** For rate limits, leases and the load, which must not follow a clock that is set. */
  monotonicClock?: Clock
  /** Reads large answers. Default: in this thread. */
  answers?: AnswerThread
  /** Between tries to reach a database that is away. */
  pause?: Pause
  /** Default: the database's own. */
  write?: WriteBatch
  /** How many bytes the store may still grow by. Default: unknown. */
  freeBytes?: () => Promise<number>
}

const NO_DATABASE_CLOCK: DatabaseClock = { ...systemClock, synchronize: async () => {}, offsetMs: 0 }

/** Everything that use cases need and do not make themselves. They take it first and narrow it: `Pick<…Deps, …>`. */
export type Deps = ReturnType<typeof createDeps>

/** Puts the parts of the service together. Opens nothing: what must be opened or closed is given. */
export function createDeps(options: DepsOptions) {
  const { databaseClock = NO_DATABASE_CLOCK, clock = databaseClock, metrics = NO_METRICS, pause = sleep } = options
  const { database, keyring, limits, logger, baseUrl } = options
  const { db } = database
  const drainState: DrainState = { phase: 'serving' }
  const deps = {
    db,
    clock,
    databaseClock,
    /** Between tries to reach a database that is away. */
    pause,
    keyring,
    nodeId: options.nodeId,
    streams: new StreamedRuns({ clock, limits }),
    /** Other replicas, which may run what this one is asked for. */
    peers: createPeers({ keyring, clock }),
    passwords: createPasswordQueue(options.passwordHasher),
    limits,
    model: options.model,
    payments: options.payments,
    paymentCalls: createPaymentCalls(),
    accountQueues: createAccountQueues(),
    schemas: options.schemas,
    logger,
    outages: options.outages ?? createOutageLog({ logger, pause }),
    baseUrl,
    /** Every address that leads to the service: no endpoint may. */
    ownUrls: (): readonly string[] => [baseUrl(), options.listeningUrl?.() ?? baseUrl()],
    version: options.version,
    proxyHops: options.proxyHops ?? 0,
    newId: createIds(clock),
    dispatcher: options.dispatcher ?? createDispatcher({ ...options, clock, metrics }),
    serving: createServingCache(limits),
    published: createPublishedCache(),
    aggregation: createUsageAggregation({ db, logger }),
    /** Answers that were neither sent nor given up. */
    requests: new UnderWay<ServerResponse>(),
    drainState,
    loopDelay: options.loopDelay ?? NO_DELAY,
    loopShare: new LoopShare({ now: () => performance.now(), rest: sleep }),
    metrics,
    tracer: options.tracer ?? NO_TRACER,
    web: options.web ?? NO_WEB_FILES,
    ...createAdmission({ ...options, clock, metrics, pause }),
  }
  metrics.watch({ ...gaugesOf(deps), pool: database.pool })
  return deps
}

/** What admits executions, counts them while they run, and settles them. */
function createAdmission(options: DepsOptions & { clock: Clock; metrics: Metrics; pause: Pause }) {
  const { database, clock, nodeId, logger, metrics, limits, pause, freeBytes = null } = options
  const { settings = {}, nodeUrl = null, monotonicClock: monotonic = monotonicClock } = options
  const { db, engine } = database
  const shared = { db, clock, nodeId, logger, metrics }
  const inFlight = new InFlight(limits)
  const running = new RunningExecutions(inFlight)
  const storage = new StorageBudget()
  const room = createStorageRoom({ clock, logger, leastBytes: limits.freeDiskBytes, freeBytes })
  const batchWriter: BatchWriter = createBatchWriter({ ...shared, pause, write: options.write ?? createBatchStore(db) })
  const settlements = new Settlements({ clock, limits, logger, room, storage, writer: batchWriter, pause })
  const lease = new NodeLease({ ...shared, engine, monotonicClock: monotonic, limits, running, settings, nodeUrl })
  const rateLimit = createRateLimit({ clock: monotonic, replicas: () => lease.liveNodes })
  return { inFlight, running, storage, room, lease, rateLimit, batchWriter, settlements }
}

function gaugesOf(deps: Deps): Omit<Gauges, 'pool'> {
  return {
    svc_running_executions: () => deps.running.size,
    svc_held_bytes: () => deps.inFlight.bytes,
    svc_open_circuits: () => deps.dispatcher.openCircuits(),
    svc_unwritten_outcomes: () => deps.settlements.unwritten,
    svc_unknown_admissions: () => deps.settlements.unknownAdmissions,
    svc_clock_offset_seconds: () => deps.databaseClock.offsetMs / 1000,
    svc_lease_held: () => Number(deps.lease.isHeld()),
    svc_draining: () => Number(deps.drainState.phase !== 'serving'),
    queued: (batch) => deps.batchWriter.depth(batch),
  }
}
