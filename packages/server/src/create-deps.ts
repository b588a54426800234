import type { Logger } from 'pino'
import { createAuthEngine, type PasswordHasher } from './accounts/auth-engine.ts'
import type { Payments } from './billing/payments/payments.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Database } from './database/open.ts'
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
import type { Model } from './model/model.ts'
import { createServingCache } from './runtimes/serving.ts'
import type { Keyring } from './secrets/keyring.ts'

export interface DepsOptions {
  database: Database
  keyring: Keyring
  limits: Limits
  model: Model
  payments: Payments
  logger: Logger
  allowLocalEndpoints: boolean
  baseUrl: () => string
  version: string
  nodeId: string
  /** None: 0. */
  proxyHops?: number
  passwordHasher?: PasswordHasher
  clock?: Clock
  dispatcher?: Dispatcher
}

/** Puts the parts of the service together. Opens nothing: what must be opened or closed is given. */
export function createDeps(options: DepsOptions): Deps {
  const { database, keyring, limits, model, payments, logger, baseUrl, version, nodeId, clock = systemClock } = options
  const { db, engine } = database
  const { allowLocalEndpoints } = options
  const running = createRunningExecutions()
  return {
    db,
    clock,
    keyring,
    auth: createAuthEngine({ db, keyring, logger }, options.passwordHasher),
    limits,
    model,
    payments,
    logger,
    baseUrl,
    version,
    proxyHops: options.proxyHops ?? 0,
    newId: createIds(clock),
    dispatcher: options.dispatcher ?? createDispatcher({ limits, allowLocalEndpoints, clock, logger }),
    serving: createServingCache(),
    published: createPublishedCache(),
    admissions: createAdmissionDesk({ db, clock, nodeId }),
    callLog: createCallLog({ db }),
    settlements: createSettlementDesk({ db, nodeId, logger }),
    lease: createNodeLease({ db, engine, clock, limits, nodeId, logger, running }),
    running,
  }
}
