import { setTimeout as sleep } from 'node:timers/promises'
import { createPasswordQueue } from './accounts/password-queue.ts'
import type { PasswordHasher } from './accounts/scrypt.ts'
import { InFlight } from './admission/in-flight.ts'
import { NO_DELAY } from './admission/loop-delay.ts'
import { createRateLimit } from './admission/rate-limit.ts'
import { SynchronousWork } from './admission/synchronous-work.ts'
import { createUsageAggregation } from './analytics/aggregation.ts'
import { createPaymentCalls } from './billing/checkout.ts'
import { createCandidateWatch } from './deployments/candidate-watch.ts'
import { createPublishedCache } from './deployments/discovery.ts'
import type { Deps } from './deps.ts'
import type { AnswerThread } from './dispatch/answer-thread.ts'
import type { DispatchTarget } from './dispatch/call-types.ts'
import { createDispatcher } from './dispatch/dispatch.ts'
import { IssuerKeys } from './end-users/issuer-keys.ts'
import { createBatchStore, type WriteBatch } from './executions/batch-store.ts'
import { createBatchWriter } from './executions/batch-writer.ts'
import { NodeLease } from './executions/node-lease.ts'
import type { NodeSettings } from './executions/node-settings-rules.ts'
import { RunningExecutions } from './executions/running.ts'
import { Settlements } from './executions/settlements.ts'
import { createAccountQueues } from './http/account-queues.ts'
import { ActiveSet } from './lib/active-set.ts'
import { type Clock, monotonicClock, systemClock } from './lib/clock.ts'
import { createIds } from './lib/ids.ts'
import { createServingCache } from './runtimes/serving-cache.ts'
import type { Database } from './store/database.ts'
import type { DatabaseClock } from './store/database-clock.ts'
import { createDiskSpace } from './store/disk-space.ts'
import type { Pause } from './store/retry.ts'
import { createPeers } from './streams/peers.ts'
import { StreamedRuns } from './streams/streamed-runs.ts'
import { type Gauges, NO_METRICS } from './telemetry/metrics.ts'
import { createOutageLog } from './telemetry/outage-log.ts'
import { NO_TRACER } from './telemetry/tracing.ts'
import { StorageBudget } from './usage/storage-budget.ts'
import { NO_WEB_FILES } from './web/web-files.ts'
import { noteReachability } from './webhooks/reachability.ts'

type Given = 'keyring' | 'limits' | 'mailer' | 'model' | 'payments' | 'schemas' | 'logger' | 'baseUrl' | 'version'
type Defaulted =
  | 'clock'
  | 'databaseClock'
  | 'dispatcher'
  | 'loopDelay'
  | 'metrics'
  | 'outages'
  | 'modelPrices'
  | 'proxyHops'
  | 'random'
  | 'tracer'

export interface DepsOptions extends Pick<Deps, Given>, Partial<Pick<Deps, Defaulted | 'web'>> {
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
  /** For rate limits and leases, which must not follow changes of the system clock. */
  monotonicClock?: Clock
  /** Reads large answers. Default: in this thread. */
  answers?: AnswerThread
  /** Waits between two attempts to reach an unavailable database. */
  pause?: Pause
  /** Default: the database's own. */
  write?: WriteBatch
  /** The free space of the store in bytes. Default: unknown. */
  freeBytes?: () => Promise<number>
}

const NO_DATABASE_CLOCK: DatabaseClock = { ...systemClock, synchronize: async () => {}, offsetMs: 0 }

/** Puts the parts of the service together. Opens nothing: what must be opened or closed is given. */
export function createDeps(options: DepsOptions): Deps {
  const { databaseClock = NO_DATABASE_CLOCK, clock = databaseClock, metrics = NO_METRICS, pause = sleep } = options
  const { database, limits, logger, baseUrl } = options
  const { db } = database
  const newId = createIds(clock)
  const aggregation = createUsageAggregation({ db, logger, clock, newId })
  const onReachability = (target: DispatchTarget, isReachable: boolean) => {
    const noting = noteReachability({ db, clock, newId }, { ...target, isReachable })
    // It is noted again within a minute.
    noting.catch((err: unknown) =>
      logger.warn({ err, runtimeId: target.runtimeId }, 'a change of an endpoint was not noted'),
    )
  }
  const dispatcher = options.dispatcher ?? createDispatcher({ ...options, clock, metrics, onReachability })
  const deps: Deps = {
    db,
    clock,
    databaseClock,
    pause,
    keyring: options.keyring,
    nodeId: options.nodeId,
    streams: new StreamedRuns({ clock, limits, metrics }),
    peers: createPeers({ keyring: options.keyring, clock }),
    passwords: createPasswordQueue(options.passwordHasher),
    mailer: options.mailer,
    limits,
    model: options.model,
    payments: options.payments,
    modelPrices: options.modelPrices ?? null,
    paymentCalls: createPaymentCalls(),
    accountQueues: createAccountQueues(),
    schemas: options.schemas,
    logger,
    outages: options.outages ?? createOutageLog({ logger, pause }),
    baseUrl,
    ownUrls: () => [baseUrl(), options.listeningUrl?.() ?? baseUrl()],
    version: options.version,
    proxyHops: options.proxyHops ?? 0,
    newId,
    random: options.random ?? Math.random,
    dispatcher,
    issuerKeys: new IssuerKeys({ dispatcher, limits, clock: options.monotonicClock ?? monotonicClock }),
    serving: createServingCache(limits),
    published: createPublishedCache(),
    aggregation,
    candidates: createCandidateWatch(() => aggregation.catchUp()),
    requests: new ActiveSet(),
    drainState: { phase: 'serving' },
    loopDelay: options.loopDelay ?? NO_DELAY,
    synchronousWork: new SynchronousWork({ now: () => performance.now(), rest: sleep }),
    metrics,
    tracer: options.tracer ?? NO_TRACER,
    web: options.web ?? NO_WEB_FILES,
    ...createAdmission({ ...options, clock, metrics, pause }),
  }
  metrics.watch({ ...gaugesOf(deps), pool: database.pool })
  return deps
}

/** The parts that admit executions, count them while they run, and settle them. */
function createAdmission(options: DepsOptions & Pick<Deps, 'clock' | 'metrics'> & { pause: Pause }) {
  const { database, clock, nodeId, logger, metrics, limits, pause, freeBytes = null } = options
  const { settings = {}, nodeUrl = null } = options
  const { db, engine } = database
  const shared = { db, clock, nodeId, logger, metrics }
  const monotonic = options.monotonicClock ?? monotonicClock
  const inFlight = new InFlight(limits)
  const running = new RunningExecutions(inFlight)
  const storage = new StorageBudget()
  const diskSpace = createDiskSpace({ clock, logger, leastBytes: limits.freeDiskBytes, freeBytes })
  const writer = createBatchWriter({ ...shared, pause, write: options.write ?? createBatchStore(db) })
  const settlements = new Settlements({ clock, limits, logger, diskSpace, storage, writer, pause })
  const lease = new NodeLease({ ...shared, engine, monotonicClock: monotonic, limits, running, settings, nodeUrl })
  const rateLimit = createRateLimit({ clock: monotonic, replicas: () => lease.liveNodes })
  return { inFlight, running, storage, diskSpace, lease, rateLimit, batchWriter: writer, settlements }
}

function gaugesOf(deps: Deps): Omit<Gauges, 'pool'> {
  return {
    svc_running_executions: () => deps.running.size,
    svc_held_bytes: () => deps.inFlight.bytes,
    svc_open_circuits: () => deps.dispatcher.openCircuits(),
    svc_streamed_runs: () => deps.streams.size,
    svc_stream_event_bytes: () => deps.streams.bytes,
    svc_unwritten_outcomes: () => deps.settlements.unwritten,
    svc_unknown_admissions: () => deps.settlements.unknownAdmissions,
    svc_clock_offset_seconds: () => deps.databaseClock.offsetMs / 1000,
    svc_lease_held: () => Number(deps.lease.isHeld()),
    svc_draining: () => Number(deps.drainState.phase !== 'serving'),
    queued: (batch) => deps.batchWriter.depth(batch),
  }
}
