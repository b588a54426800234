import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createPasswordQueue } from './accounts/password-queue.ts'
import type { PasswordHasher } from './accounts/scrypt.ts'
import { InFlight } from './admission/in-flight.ts'
import { type LoopDelay, NO_DELAY } from './admission/loop-delay.ts'
import { LoopShare } from './admission/loop-share.ts'
import { createRateLimit } from './admission/rate-limit.ts'
import { createUsageFolding } from './analytics/folding.ts'
import { createPaymentCalls } from './billing/checkout.ts'
import type { Payments } from './billing/payments/payments.ts'
import type { DatabaseClock } from './database/database-clock.ts'
import type { Database } from './database/open.ts'
import type { Pause } from './database/outlast.ts'
import { createStorageRoom } from './database/storage-room.ts'
import { createPublishedCache } from './deployments/discovery.ts'
import type { Deps } from './deps.ts'
import { createDispatcher, type Dispatcher } from './dispatch/dispatch.ts'
import type { AnswerReader } from './dispatch/read-answer.ts'
import { createAdmissions } from './executions/admissions.ts'
import { createBatchStore, type WriteBatch } from './executions/batch-store.ts'
import { createBatchWriter } from './executions/batch-writer.ts'
import { createNodeLease } from './executions/node-lease.ts'
import type { NodeSettings } from './executions/node-settings-rules.ts'
import { RunningExecutions } from './executions/running.ts'
import { createSettlements } from './executions/settlements.ts'
import { createAccountTurns } from './http/account-turns.ts'
import { type Clock, monotonicClock, systemClock } from './lib/clock.ts'
import { createIds } from './lib/ids.ts'
import { UnderWay } from './lib/under-way.ts'
import type { Limits } from './limits.ts'
import type { Model } from './model/model.ts'
import { createServingCache } from './runtimes/serving.ts'
import type { Schemas } from './schemas/schemas.ts'
import type { Keyring } from './secrets/keyring.ts'
import { type Gauges, type Metrics, NO_METRICS } from './telemetry/metrics.ts'
import { NO_TRACER } from './telemetry/no-tracer.ts'
import { createOutageLog, type OutageLog } from './telemetry/outage-log.ts'
import { type RequestLog, requestLogOf } from './telemetry/request-log.ts'
import type { Tracer } from './telemetry/tracing.ts'
import { StorageBudget } from './usage/storage-budget-rules.ts'
import { NO_WEB_FILES, type WebFiles } from './web/web-files.ts'

export interface DepsOptions {
  database: Database
  keyring: Keyring
  limits: Limits
  model: Model
  /** Null where nobody can pay. */
  payments: Payments | null
  schemas: Schemas
  /** In place of the thread that asks: where large answers are read. */
  answers?: AnswerReader
  logger: Logger
  /** In place of one of its own. */
  outages?: OutageLog
  /** None: through the logger. */
  requestLog?: RequestLog
  allowLocalEndpoints: boolean
  baseUrl: () => string
  /** Where the server listens, once it does. None: at its base address. */
  listeningUrl?: () => string
  version: string
  nodeId: string
  /** Settings that other replicas compare with theirs. None: nothing. */
  settings?: NodeSettings
  /** None: 0. */
  proxyHops?: number
  passwordHasher?: PasswordHasher
  clock?: Clock
  /** The service's time where no other clock is given. */
  databaseClock?: DatabaseClock
  /** For what must not follow a clock that is set: rate limits, leases, the load. */
  monotonicClock?: Clock
  /** None: the event loop is never late. */
  loopDelay?: LoopDelay
  /** Between tries to reach a database that is away. */
  pause?: Pause
  dispatcher?: Dispatcher
  /** In place of the database's own. */
  write?: WriteBatch
  /** How many bytes the store may still grow by; none: nobody knows. */
  freeBytes?: () => Promise<number>
  /** None: nothing is measured. */
  metrics?: Metrics
  /** None: nothing is traced. */
  tracer?: Tracer
  /** None: nothing is built, and pages say so. */
  web?: WebFiles
}

const NO_DATABASE_CLOCK: DatabaseClock = { ...systemClock, synchronize: async () => {}, offsetMs: 0 }

/** Puts the parts of the service together. Opens nothing: what must be opened or closed is given. */
export function createDeps(options: DepsOptions): Deps {
  const {
    database,
    keyring,
    limits,
    model,
    payments,
    schemas,
    logger,
    baseUrl,
    version,
    databaseClock = NO_DATABASE_CLOCK,
    clock = databaseClock,
    metrics = NO_METRICS,
    tracer = NO_TRACER,
  } = options
  const { db } = database
  const deps: Deps = {
    db,
    clock,
    databaseClock,
    keyring,
    passwords: createPasswordQueue(options.passwordHasher),
    limits,
    model,
    payments,
    paymentCalls: createPaymentCalls(),
    accountTurns: createAccountTurns(),
    schemas,
    logger,
    outages: options.outages ?? createOutageLog({ logger, pause: options.pause ?? sleep }),
    requestLog: options.requestLog ?? requestLogOf(logger),
    baseUrl,
    ownUrls: () => [baseUrl(), options.listeningUrl?.() ?? baseUrl()],
    version,
    proxyHops: options.proxyHops ?? 0,
    newId: createIds(clock),
    dispatcher: options.dispatcher ?? createDispatcher({ ...options, clock, metrics }),
    serving: createServingCache(limits),
    published: createPublishedCache(),
    folding: createUsageFolding({ db, logger }),
    requests: new UnderWay(),
    drainState: { phase: 'serving' },
    loopDelay: options.loopDelay ?? NO_DELAY,
    loopShare: new LoopShare({ now: () => performance.now(), rest: sleep }),
    metrics,
    tracer,
    web: options.web ?? NO_WEB_FILES,
    ...createAdmission({ ...options, clock, metrics }),
  }
  metrics.watch({ ...gaugesOf(deps), pool: database.pool })
  return deps
}

/** What lets executions in, holds them while they run, and ends them. */
function createAdmission(options: DepsOptions & Required<Pick<DepsOptions, 'clock' | 'metrics'>>) {
  const { database, clock, nodeId, logger, metrics, limits, pause = sleep, freeBytes = null, settings = {} } = options
  const { db, engine } = database
  const shared = { db, clock, nodeId, logger, metrics }
  const monotonic = options.monotonicClock ?? monotonicClock
  const inFlight = new InFlight(limits)
  const running = new RunningExecutions(inFlight)
  const storage = new StorageBudget()
  const room = createStorageRoom({ clock, logger, leastBytes: limits.freeDiskBytes, freeBytes })
  const writer = createBatchWriter({ ...shared, pause, write: options.write ?? createBatchStore(db) })
  const settlements = createSettlements({ clock, limits, logger, room, storage, writer, pause })
  const lease = createNodeLease({ ...shared, engine, monotonicClock: monotonic, limits, running, settings })
  return {
    inFlight,
    running,
    storage,
    room,
    lease,
    rateLimit: createRateLimit({ clock: monotonic, replicas: () => lease.liveNodes }),
    admissions: createAdmissions({ clock, storage, room, writer, settlements }),
    callLog: writer,
    settlements,
  }
}

function gaugesOf({
  databaseClock,
  drainState,
  running,
  inFlight,
  dispatcher,
  lease,
  callLog,
  settlements,
}: Deps): Omit<Gauges, 'pool'> {
  return {
    runningExecutions: () => running.size,
    heldBytes: () => inFlight.bytes,
    openCircuits: () => dispatcher.openCircuits(),
    queued: {
      admissions: () => callLog.depth('admissions'),
      calls: () => callLog.depth('calls'),
      settlements: () => callLog.depth('settlements'),
    },
    unwrittenOutcomes: () => settlements.unwritten,
    unknownAdmissions: () => settlements.unknownAdmissions,
    isLeaseHeld: () => lease.isHeld(),
    clockOffsetMs: () => databaseClock.offsetMs,
    isDraining: () => drainState.phase !== 'serving',
  }
}
