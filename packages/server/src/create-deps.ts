import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createAuthEngine, type PasswordHasher } from './accounts/auth-engine.ts'
import { createUsageFolding } from './analytics/folding.ts'
import { createPaymentLane } from './billing/payment-lane.ts'
import type { Payments } from './billing/payments/payments.ts'
import { type Clock, monotonicClock, systemClock } from './clock.ts'
import type { Database } from './database/open.ts'
import type { Pause } from './database/outlast.ts'
import { createPublishedCache } from './deployments/discovery.ts'
import type { Deps } from './deps.ts'
import { createDispatcher, type Dispatcher } from './dispatch/dispatch.ts'
import { createAdmissionDesk } from './executions/admission-desk.ts'
import { createCallLog } from './executions/call-log.ts'
import { createNodeLease } from './executions/node-lease.ts'
import { createRunningExecutions } from './executions/running.ts'
import { createSettlementDesk } from './executions/settlement-desk.ts'
import { createIds } from './ids.ts'
import type { Limits } from './limits.ts'
import { createLoadGate, type LoadGateOptions } from './load/load-gate.ts'
import { processTime } from './load/process-time.ts'
import { type Gauges, type Metrics, NO_METRICS } from './metrics/metrics.ts'
import type { Model } from './model/model.ts'
import { nextTurn } from './next-turn.ts'
import { type RequestLog, requestLogOf } from './request-log.ts'
import { createServingCache } from './runtimes/serving.ts'
import type { Schemas } from './schemas/schemas.ts'
import type { Keyring } from './secrets/keyring.ts'
import { NO_TRACER } from './tracing/no-tracer.ts'
import type { Tracer } from './tracing/tracing.ts'
import { UnderWay } from './under-way.ts'
import { NO_WEB_FILES, type WebFiles } from './web/web-files.ts'

export interface DepsOptions {
  database: Database
  keyring: Keyring
  limits: Limits
  model: Model
  payments: Payments
  schemas: Schemas
  logger: Logger
  /** None: through the logger. */
  requestLog?: RequestLog
  allowLocalEndpoints: boolean
  baseUrl: () => string
  version: string
  nodeId: string
  /** None: 0. */
  proxyHops?: number
  passwordHasher?: PasswordHasher
  clock?: Clock
  /** What measures the load. */
  monotonicClock?: Clock
  /** Between tries to reach a database that is away. */
  pause?: Pause
  dispatcher?: Dispatcher
  /** None: nothing is measured. */
  metrics?: Metrics
  /** None: nothing is traced. */
  tracer?: Tracer
  /** None: nothing is built, and pages say so. */
  web?: WebFiles
}

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
    nodeId,
    clock = systemClock,
    pause = sleep,
  } = options
  const { db, engine } = database
  const { allowLocalEndpoints, metrics = NO_METRICS, tracer = NO_TRACER } = options
  const running = createRunningExecutions(limits.executions)
  const deps: Deps = {
    db,
    clock,
    keyring,
    auth: createAuthEngine({ db, keyring, logger }, options.passwordHasher),
    limits,
    model,
    payments,
    paymentLane: createPaymentLane(),
    schemas,
    logger,
    requestLog: options.requestLog ?? requestLogOf(logger),
    baseUrl,
    version,
    proxyHops: options.proxyHops ?? 0,
    newId: createIds(clock),
    dispatcher: options.dispatcher ?? createDispatcher({ limits, allowLocalEndpoints, clock, logger, metrics }),
    serving: createServingCache(),
    published: createPublishedCache(),
    admissions: createAdmissionDesk({ db, clock, nodeId, logger, metrics }),
    callLog: createCallLog({ db, clock, nodeId, metrics, pause }),
    settlements: createSettlementDesk({ db, clock, nodeId, logger, metrics, pause }),
    folding: createUsageFolding({ db, logger }),
    lease: createNodeLease({ db, engine, clock, limits, nodeId, logger, metrics, running }),
    running,
    requests: new UnderWay(),
    load: createLoadGate({
      clock: options.monotonicClock ?? monotonicClock,
      turnEnd: nextTurn,
      ...processTime,
      running: () => running.size,
      ...loadBounds(limits),
    }),
    metrics,
    tracer,
    web: options.web ?? NO_WEB_FILES,
  }
  metrics.watch(gaugesOf(deps))
  return deps
}

// Fewer are no crowd: half as many come together on a quiet service, too, and a slow disk must not have any refused.
const LEAST_HELD = 100

function loadBounds({ heldRequests, heldMs, executions }: Limits): Pick<LoadGateOptions, 'targets' | 'maxRunning'> {
  const minBound = Math.min(LEAST_HELD, heldRequests)
  return { targets: { waitMs: heldMs, minBound, maxBound: heldRequests }, maxRunning: executions }
}

function gaugesOf({ running, load, dispatcher, lease, admissions, callLog, settlements }: Deps): Gauges {
  return {
    runningExecutions: () => running.size,
    heldRequests: () => load.held,
    heldBound: () => load.bound,
    openCircuits: () => dispatcher.openCircuits(),
    queued: { admissions: () => admissions.depth, calls: () => callLog.depth, settlements: () => settlements.depth },
    unwrittenOutcomes: () => settlements.unwritten,
    unknownAdmissions: () => admissions.unknown,
    isLeaseHeld: () => lease.isHeld(),
  }
}
