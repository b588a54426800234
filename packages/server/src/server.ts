import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { sweepSessions } from './accounts/sessions.ts'
import { FOLD_MS } from './analytics/folding.ts'
import { createApp } from './app.ts'
import { openPayments } from './billing/payments/open-payments.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { createDeps } from './create-deps.ts'
import { lockDataFolder } from './database/folder-lock.ts'
import { createSchemaJudge } from './deployments/schema-judge.ts'
import type { Deps } from './deps.ts'
import type { Environment } from './environment.ts'
import { RENEWAL_MS } from './executions/node-lease.ts'
import { createRetentionSweep, RETENTION_SWEEP_MS, type RetentionSweep } from './executions/retention.ts'
import { drain } from './http/drain.ts'
import { createOpsApp, type OpsDeps } from './http/ops-app.ts'
import { openMetrics } from './metrics/open-metrics.ts'
import { openModel } from './model/open-model.ts'
import { openStore } from './open-store.ts'
import { createReadinessProbe } from './ops/readiness.ts'
import { repeatWork } from './repeated-work.ts'
import type { RequestLog } from './request-log.ts'
import { startSummary } from './start-summary.ts'
import { openTracer } from './tracing/open-tracer.ts'
import { VERSION } from './version.ts'
import { findWebFiles, missingWebFiles } from './web/web-files.ts'

/** Thirty seconds, after which many supervisors kill, less one. `drainMs` counts from the signal. */
const DRAIN_TIMES = { drainMs: 25_000, stopMs: 3_000, flushMs: 1_000 }
/** Connections that may wait to be taken. Of a crowd that is more than Node's 511, some would knock again a second later. */
const BACKLOG = 4_096

export interface RunningServer {
  /** Where it answers. */
  url: string
  /** What an operator wants to read at the start, line by line. */
  summary: string[]
  /** Takes no more, lets what runs end, settles, and closes everything. */
  stop(): Promise<void>
}

/** Opens the store, the model and the port, and takes this node's lease. `onFatal` hears when it cannot go on. */
export async function startServer(
  config: Config,
  env: Environment,
  context: {
    logger: Logger
    requestLog?: RequestLog
    onFatal: (error: unknown) => void
    renewalMs?: number
    retentionMs?: number
    foldMs?: number
  },
): Promise<RunningServer> {
  const { logger, renewalMs = RENEWAL_MS, retentionMs = RETENTION_SWEEP_MS, foldMs = FOLD_MS } = context
  const model = openModel({ spec: config.modelSpec, env, limits: config.limits, logger })
  const nodeId = randomUUID()
  const metrics = config.ops === null ? null : await openMetrics()
  const tracer = await openTracer(config.traces, { clock: systemClock, version: VERSION, nodeId, logger })
  const lock = config.store.engine === 'sqlite' ? lockDataFolder(config.store.folder) : null
  const store = await openStore(config, { ...context, onFault: () => metrics?.databaseFailed('connection') })
  let url = ''
  const baseUrl = () => config.baseUrl ?? url
  const payments = await openPayments(config.stripe, { baseUrl, clock: systemClock })
  // One processor is left to those who call; more than two threads are no use to anybody.
  const schemaJudge = createSchemaJudge({ threads: Math.min(2, Math.max(1, availableParallelism() - 1)) })
  const web = findWebFiles()
  for (const line of missingWebFiles(web)) logger.warn(line)
  const deps = createDeps({
    ...store,
    limits: config.limits,
    model,
    payments,
    schemaJudge,
    logger,
    ...(context.requestLog && { requestLog: context.requestLog }),
    allowLocalEndpoints: config.allowLocalEndpoints,
    proxyHops: config.proxyHops,
    baseUrl,
    version: VERSION,
    nodeId,
    tracer,
    web,
    ...(metrics && { metrics }),
  })
  await deps.lease.take()
  const renewing = repeatWork(renewalMs, () => renew(deps))
  const folding = repeatWork(foldMs, () => fold(deps))
  // At once, too: what a process left that was killed.
  folding.begin()
  const app = createApp(deps)
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  url = addressOf(app, config.host)
  const readiness = createReadinessProbe({ ...deps, nodeId })
  const ops = config.ops && metrics ? await openOps(config.ops, { readiness, metrics }) : null
  const retention = createRetentionSweep(deps)
  const sweeping = repeatWork(retentionMs, () => sweep(deps, retention))
  // At once, too: a server that never runs for long would keep everything.
  sweeping.begin()
  return {
    url,
    summary: startSummary(config, { model: deps.model, url, opsUrl: ops?.url ?? null }),
    async stop() {
      // First of all, so that balancers look elsewhere while requests are still taken here.
      readiness.drain()
      const swept = sweeping.stop()
      await pause(config.drainDelayMs)
      const drainMs = DRAIN_TIMES.drainMs - config.drainDelayMs
      await Promise.all([drain(app, deps, { ...DRAIN_TIMES, drainMs }), retention.stop()])
      await Promise.all([swept, folding.stop()])
      await fold(deps)
      // Last of what repeats: it keeps what settles until now ours. One under way would take the released lease again.
      await renewing.stop()
      await Promise.all([deps.lease.release(), deps.dispatcher.close(), schemaJudge.close(), tracer.close()])
      await ops?.app.close()
      await store.database.close()
      lock?.release()
    },
  }
}

async function openOps({ host, port }: NonNullable<Config['ops']>, deps: OpsDeps) {
  const app = createOpsApp(deps)
  await app.listen({ host, port })
  return { app, url: addressOf(app, host) }
}

async function renew(deps: Deps): Promise<void> {
  try {
    await deps.lease.renew()
    await Promise.all([deps.settlements.retryFailed(), deps.admissions.resolveDoubts()])
  } catch (error) {
    deps.metrics.databaseFailed('lease')
    deps.metrics.leaseRenewed('failed')
    deps.logger.error({ err: error }, 'the lease could not be renewed')
  }
}

async function fold(deps: Deps): Promise<void> {
  try {
    await deps.folding.fold()
  } catch (error) {
    deps.logger.error({ err: error }, 'usage could not be added to its counters')
  }
}

async function sweep(deps: Deps, retention: RetentionSweep): Promise<void> {
  try {
    // Together, so that a fault of one does not keep the other from its work.
    await Promise.all([sweepSessions(deps), retention.run()])
  } catch (error) {
    deps.logger.error({ err: error }, 'what is past its retention could not be deleted')
  }
}

function addressOf(app: FastifyInstance, host: string): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
