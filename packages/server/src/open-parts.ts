import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { watchLoopDelay } from './admission/loop-delay.ts'
import { openPayments } from './billing/payments/open-payments.ts'
import type { Config } from './config.ts'
import { createDeps } from './create-deps.ts'
import { createAnswerThread } from './dispatch/answer-thread.ts'
import { systemClock } from './lib/clock.ts'
import type { Environment } from './lib/environment.ts'
import { VERSION } from './lib/version.ts'
import { openMailer } from './mail/open-mailer.ts'
import { openModel } from './model/open-model.ts'
import { sharedSettings } from './ops/shared-settings.ts'
import { createSchemas } from './schemas/schemas.ts'
import { createDatabaseClock } from './store/database-clock.ts'
import { freeBytesOf, keepReserve } from './store/disk-reserve.ts'
import { openStore } from './store/open-store.ts'
import { lockDataFolder } from './store/sqlite/folder-lock.ts'
import { createOutageLog } from './telemetry/outage-log.ts'
import { NO_TRACER } from './telemetry/tracing.ts'
import { findWebFiles, missingWebFiles } from './web/web-files.ts'

export interface OpenContext {
  logger: Logger
  /** Called when the store cannot go on. */
  onFatal: (error: unknown) => void
}

/**
 * Opens the store and the model, and puts all parts together. `metrics` is null without an operations port; `url` is called
 * once the server listens.
 */
export async function openParts(
  config: Config,
  env: Environment,
  { logger, onFatal, url }: OpenContext & { url: () => string },
) {
  const { limits, store, proxyHops, allowLocalEndpoints } = config
  const model = await openModel({ spec: config.modelSpec, env, limits, logger })
  const nodeId = randomUUID()
  const settings = sharedSettings(config, model)
  logger.info({ nodeId, engine: store.engine, nodejs: process.version, ...settings }, 'starting')
  const { metrics, tracer } = await openTelemetry(config, { nodeId, logger })
  const lock = store.engine === 'sqlite' ? lockDataFolder(store.folder) : null
  const outages = createOutageLog({ logger, pause: sleep })
  const onFault = (error: unknown) => {
    metrics?.databaseFailed('connection')
    outages.note('connections', error)
  }
  const opened = await openStore(config, { onFault, onFatal })
  const databaseClock = createDatabaseClock({ database: opened.database, logger })
  await databaseClock.synchronize()
  const baseUrl = () => config.baseUrl ?? url()
  const payments = await openPayments(config, { baseUrl, clock: databaseClock })
  const web = findWebFiles()
  for (const line of missingWebFiles(web)) logger.warn(line)
  const deps = createDeps({
    ...opened,
    limits,
    model,
    payments,
    mailer: await openMailer(config.mail, logger),
    modelPrices: config.modelPrices,
    logger,
    outages,
    allowLocalEndpoints,
    proxyHops,
    nodeId,
    nodeUrl: config.nodeUrl,
    settings,
    tracer,
    web,
    databaseClock,
    schemas: createSchemas(),
    answers: createAnswerThread(),
    baseUrl,
    listeningUrl: url,
    version: VERSION,
    loopDelay: watchLoopDelay(),
    ...(metrics && { metrics }),
    ...(store.engine === 'sqlite' && { freeBytes: () => freeBytesIn(store.folder, limits.freeDiskBytes) }),
  })
  return { deps, nodeId, database: opened.database, metrics, unlock: () => lock?.release() }
}

/** Loads each library, with its memory and timers, only where it is configured. */
async function openTelemetry({ ops, traces }: Config, context: { nodeId: string; logger: Logger }) {
  const prometheus = ops && (await import('./telemetry/prometheus-metrics.ts'))
  const metrics = prometheus?.createPrometheusMetrics() ?? null
  if (traces === null) return { metrics, tracer: NO_TRACER }
  const { createOtlpTracer } = await import('./telemetry/otlp-tracer.ts')
  return { metrics, tracer: createOtlpTracer(traces, { ...context, clock: systemClock, version: VERSION }) }
}

/** The free space on the embedded store's disk. Keeps the reserve, too. */
async function freeBytesIn(folder: string, leastBytes: number): Promise<number> {
  const free = await freeBytesOf(folder)
  await keepReserve(folder, { free, leastBytes })
  return free
}
