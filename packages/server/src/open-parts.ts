import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { watchLoopDelay } from './admission/loop-delay.ts'
import { openPayments } from './billing/payments/open-payments.ts'
import type { Config } from './config.ts'
import { createDeps } from './create-deps.ts'
import { createDatabaseClock } from './database/database-clock.ts'
import { freeBytesOf, keepReserve } from './database/disk-reserve.ts'
import { lockDataFolder } from './database/folder-lock.ts'
import type { Database } from './database/open.ts'
import { openStore } from './database/open-store.ts'
import type { Deps } from './deps.ts'
import { createAnswerThread } from './dispatch/answer-thread.ts'
import { systemClock } from './lib/clock.ts'
import type { Environment } from './lib/environment.ts'
import { VERSION } from './lib/version.ts'
import { openModel } from './model/open-model.ts'
import { sharedSettings } from './ops/shared-settings.ts'
import { createSchemas } from './schemas/schemas.ts'
import { openMetrics } from './telemetry/open-metrics.ts'
import { openTracer } from './telemetry/open-tracer.ts'
import { createOutageLog } from './telemetry/outage-log.ts'
import type { PrometheusMetrics } from './telemetry/prometheus-metrics.ts'
import type { RequestLog } from './telemetry/request-log.ts'
import { findWebFiles, missingWebFiles } from './web/web-files.ts'

export interface OpenContext {
  logger: Logger
  requestLog?: RequestLog
  /** Hears when the store cannot go on. */
  onFatal: (error: unknown) => void
}

/** What a server is made of before it listens. */
export interface OpenParts {
  deps: Deps
  nodeId: string
  database: Database
  /** Null where nobody reads them. */
  metrics: PrometheusMetrics | null
  /** Gives the data folder to others. */
  unlock(): void
}

/** Opens the store and the model, and puts all parts together. `url` is asked for once the server listens. */
export async function openParts(
  config: Config,
  env: Environment,
  context: OpenContext & { url: () => string },
): Promise<OpenParts> {
  const { logger } = context
  const model = await openModel({ spec: config.modelSpec, env, limits: config.limits, logger })
  const nodeId = randomUUID()
  const settings = sharedSettings(config, model)
  logger.info({ nodeId, engine: config.store.engine, nodejs: process.version, ...settings }, 'starting')
  const metrics = config.ops === null ? null : await openMetrics()
  const tracer = await openTracer(config.traces, { clock: systemClock, version: VERSION, nodeId, logger })
  const lock = config.store.engine === 'sqlite' ? lockDataFolder(config.store.folder) : null
  const outages = createOutageLog({ logger, pause: sleep })
  const onFault = (error: unknown) => {
    metrics?.databaseFailed('connection')
    outages.note('connections', error)
  }
  const store = await openStore(config, { onFault, onFatal: context.onFatal })
  const clock = createDatabaseClock({ database: store.database, logger })
  await clock.synchronize()
  const baseUrl = () => config.baseUrl ?? context.url()
  const payments = await openPayments(config, { baseUrl, clock })
  const web = findWebFiles()
  for (const line of missingWebFiles(web)) logger.warn(line)
  const deps = createDeps({
    ...store,
    databaseClock: clock,
    limits: config.limits,
    model,
    payments,
    schemas: createSchemas(),
    answers: createAnswerThread(),
    logger,
    outages,
    ...(context.requestLog && { requestLog: context.requestLog }),
    allowLocalEndpoints: config.allowLocalEndpoints,
    proxyHops: config.proxyHops,
    baseUrl,
    listeningUrl: context.url,
    version: VERSION,
    nodeId,
    settings,
    loopDelay: watchLoopDelay(),
    tracer,
    web,
    ...(metrics && { metrics }),
    ...(config.store.engine === 'sqlite' && { freeBytes: roomOf(config.store.folder, config.limits.freeDiskBytes) }),
  })
  return { deps, nodeId, database: store.database, metrics, unlock: () => lock?.release() }
}

/** How much room the embedded store's disk has; keeps the reserve besides. */
function roomOf(folder: string, leastBytes: number): () => Promise<number> {
  return async () => {
    const free = await freeBytesOf(folder)
    await keepReserve(folder, { free, leastBytes })
    return free
  }
}
