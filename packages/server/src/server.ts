import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { closeConnections, drain } from './http/drain.ts'
import { createOpsApp, type OpsDeps } from './http/ops-app.ts'
import type { Environment } from './lib/environment.ts'
import { type OpenContext, openParts } from './open-parts.ts'
import { aggregateUsage, type JobTimes, startJobs } from './ops/background-jobs.ts'
import { createReadinessProbe } from './ops/readiness.ts'
import { startSummary } from './ops/start-summary.ts'
import { openWithDiskReserve } from './store/disk-reserve.ts'

/** `drainMs` counts from the signal. Of the 30 s after which many supervisors kill, the rest is for a slow database. */
const DRAIN_TIMES = { drainMs: 23_000, stopMs: 3_000, flushMs: 1_000 }
/** The backlog of connections. Past Node's 511, clients that connect at once would try again a second later. */
const BACKLOG = 4_096

/** Opens the store, the model and the port, and takes this node's lease. */
export async function startServer(config: Config, env: Environment, context: OpenContext & JobTimes) {
  let url = ''
  const open = async () => {
    const opened = await openParts(config, env, { ...context, url: () => url })
    // Before the port opens: on SQLite no request meets an execution that an earlier process left running.
    await opened.deps.lease.take()
    return opened
  }
  const { store } = config
  const parts = await (store.engine === 'sqlite' ? openWithDiskReserve(store.folder, open) : open())
  const { deps, nodeId, database } = parts
  const { renewing, aggregating, sweeping } = startJobs(deps, context)
  const app = createApp(deps)
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  url = addressOf(app, config.host)
  const readiness = createReadinessProbe({ ...deps, nodeId })
  const ops = config.ops && parts.metrics ? await openOps(config.ops, { readiness, metrics: parts.metrics }) : null
  const times = { ...DRAIN_TIMES, drainMs: DRAIN_TIMES.drainMs - config.drainDelayMs }
  const endings = [
    // First, so that load balancers use other replicas while requests are still accepted here.
    { part: 'readiness and kept connections', end: () => closeConnections(deps) },
    { part: 'delay', end: () => pause(config.drainDelayMs) },
    { part: 'requests', end: () => Promise.all([drain(app, deps, times), sweeping.stop()]) },
    // Executions settle under the lease until now. A renewal in progress would take it again after its release.
    { part: 'renewals', end: () => renewing.stop() },
    // Before the database: a mail is composed from it.
    { part: 'mails', end: () => deps.mailer?.close(DRAIN_TIMES.flushMs) },
    { part: 'lease', end: () => deps.lease.release() },
    { part: 'connections', end: () => Promise.all([deps.dispatcher.close(), deps.peers.close(), deps.tracer.close()]) },
    { part: 'schemas', end: () => deps.schemas.close() },
    { part: 'operations port', end: () => ops?.app.close() },
    // Late, because it can be skipped: the next start, or another replica, aggregates the rest.
    { part: 'usage', end: () => aggregating.stop().then(() => aggregateUsage(deps)) },
    { part: 'database', end: () => database.close() },
    { part: 'data folder', end: () => parts.unlock() },
  ]
  const { logger } = deps
  const opsUrl = ops?.url ?? null
  logger.info({ nodeId, url, opsUrl }, 'ready')
  return {
    url,
    /** For the operator, line by line. */
    summary: startSummary(config, { model: deps.model, url, opsUrl }),
    /** Takes no more requests, lets executions end and settle, and closes every part. A part that fails to close is logged. */
    async stop() {
      const { running, requests } = deps
      logger.info({ nodeId, requests: requests.size, executions: running.size }, 'draining')
      await endInOrder(endings, logger)
      logger.info({ nodeId }, 'stopped')
    },
  }
}

/** Ends one part after another. A part that fails is logged and does not stop the others from ending. */
async function endInOrder(endings: readonly { part: string; end(): unknown }[], logger: Logger): Promise<void> {
  for (const { part, end } of endings) {
    try {
      await end()
    } catch (error) {
      logger.warn({ err: error, part }, 'a part of the service could not be ended')
    }
  }
}

async function openOps({ host, port }: NonNullable<Config['ops']>, deps: OpsDeps) {
  const app = createOpsApp(deps)
  await app.listen({ host, port })
  return { app, url: addressOf(app, host) }
}

function addressOf(app: FastifyInstance, host: string): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
