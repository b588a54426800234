import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { openOnFullDisk } from './database/disk-reserve.ts'
import { closeConnections, drain } from './http/drain.ts'
import { createOpsApp, type OpsDeps } from './http/ops-app.ts'
import { endInOrder } from './lib/end-in-order.ts'
import type { Environment } from './lib/environment.ts'
import { type OpenContext, openParts } from './open-parts.ts'
import { createReadinessProbe } from './ops/readiness.ts'
import { beginRounds, fold, type RoundTimes } from './ops/rounds.ts'
import { startSummary } from './ops/start-summary.ts'

/** `drainMs` counts from the signal. Of the 30 s after which many supervisors kill, the rest is for a slow database. */
const DRAIN_TIMES = { drainMs: 23_000, stopMs: 3_000, flushMs: 1_000 }
/** Connections that may wait to be taken. Of a crowd that is more than Node's 511, some would knock again a second later. */
const BACKLOG = 4_096

export interface RunningServer {
  /** Where it answers. */
  url: string
  /** What an operator wants to read at the start, line by line. */
  summary: string[]
  /** Takes no more, lets what runs end, settles, and closes everything. What cannot be closed is told in the log. */
  stop(): Promise<void>
}

/** Opens the store, the model and the port, and takes this node's lease. `onFatal` hears when it cannot go on. */
export async function startServer(
  config: Config,
  env: Environment,
  context: OpenContext & RoundTimes,
): Promise<RunningServer> {
  let url = ''
  const open = async () => {
    const opened = await openParts(config, env, { ...context, url: () => url })
    await opened.deps.lease.take()
    return opened
  }
  const { store } = config
  const parts = await (store.engine === 'sqlite' ? openOnFullDisk(store.folder, open) : open())
  const { deps, nodeId, database } = parts
  const { renewing, folding, sweeping } = beginRounds(deps, context)
  const app = createApp(deps)
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  url = addressOf(app, config.host)
  const readiness = createReadinessProbe({ ...deps, nodeId })
  const ops = config.ops && parts.metrics ? await openOps(config.ops, { readiness, metrics: parts.metrics }) : null
  const times = { ...DRAIN_TIMES, drainMs: DRAIN_TIMES.drainMs - config.drainDelayMs }
  const endings = [
    // First of all, so that balancers look elsewhere while requests are still taken here.
    { part: 'readiness and kept connections', end: () => closeConnections(deps) },
    { part: 'delay', end: () => pause(config.drainDelayMs) },
    { part: 'requests', end: () => Promise.all([drain(app, deps, times), sweeping.stop()]) },
    // The lease keeps what settles until now ours. A renewal under way would take it again after its release.
    { part: 'renewals', end: () => renewing.stop() },
    { part: 'lease', end: () => deps.lease.release() },
    { part: 'connections', end: () => Promise.all([deps.dispatcher.close(), deps.tracer.close()]) },
    { part: 'schemas', end: () => deps.schemas.close() },
    { part: 'operations port', end: () => ops?.app.close() },
    // What is not added now is by the next start, or by another replica: of all parts it can best do without the time.
    { part: 'usage', end: () => folding.stop().then(() => fold(deps)) },
    { part: 'database', end: () => database.close() },
    { part: 'data folder', end: () => parts.unlock() },
  ]
  const { logger } = deps
  const opsUrl = ops?.url ?? null
  logger.info({ nodeId, url, opsUrl }, 'ready')
  return {
    url,
    summary: startSummary(config, { model: deps.model, url, opsUrl }),
    async stop() {
      const { running, requests } = deps
      logger.info({ nodeId, requests: requests.size, executions: running.size }, 'draining')
      await endInOrder(endings, logger)
      logger.info({ nodeId }, 'stopped')
    },
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
