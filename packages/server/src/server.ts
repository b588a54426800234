import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { sweepSessions } from './accounts/sessions.ts'
import { createApp } from './app.ts'
import { openPayments } from './billing/payments/open-payments.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { createDeps } from './create-deps.ts'
import { lockDataFolder } from './database/folder-lock.ts'
import type { Deps } from './deps.ts'
import type { Environment } from './environment.ts'
import { RENEWAL_MS } from './executions/node-lease.ts'
import { createRetentionSweep, RETENTION_SWEEP_MS, type RetentionSweep } from './executions/retention.ts'
import { openModel } from './model/open-model.ts'
import { databaseFile, openStore } from './open-store.ts'
import { VERSION } from './version.ts'

/** How long executions may go on after the service was told to stop, and then how long stopped ones may take to settle. */
const DRAIN_MS = 25_000
const STOP_MS = 3_000
/** How long the last answers may take to leave. A connection that has none to wait for may stay open for ever. */
const FLUSH_MS = 1_000
const SWEEP_MS = 20

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
  context: { logger: Logger; onFatal: (error: unknown) => void; renewalMs?: number; retentionMs?: number },
): Promise<RunningServer> {
  const { logger, renewalMs = RENEWAL_MS, retentionMs = RETENTION_SWEEP_MS } = context
  const model = openModel({ spec: config.modelSpec, env, limits: config.limits, logger })
  const lock = config.store.engine === 'sqlite' ? lockDataFolder(config.store.folder) : null
  const store = await openStore(config, context)
  let url = ''
  const baseUrl = () => config.baseUrl ?? url
  const payments = await openPayments(config.stripe, { baseUrl, clock: systemClock })
  const deps = createDeps({
    ...store,
    limits: config.limits,
    model,
    payments,
    logger,
    allowLocalEndpoints: config.allowLocalEndpoints,
    proxyHops: config.proxyHops,
    baseUrl,
    version: VERSION,
    nodeId: randomUUID(),
  })
  await deps.lease.take()
  const renewal = setInterval(() => void renew(deps), renewalMs)
  const app = createApp(deps)
  await app.listen({ host: config.host, port: config.port })
  url = addressOf(app, config.host)
  const retention = createRetentionSweep(deps)
  const sweeping = setInterval(() => void sweep(deps, retention), retentionMs)
  // At once, too: a server that never runs for long would keep everything.
  void sweep(deps, retention)
  return {
    url,
    summary: summaryOf(config, deps, url),
    async stop() {
      clearInterval(sweeping)
      await Promise.all([drain(app, deps), retention.stop()])
      clearInterval(renewal)
      await deps.lease.release()
      await deps.dispatcher.close()
      await store.database.close()
      lock?.release()
    },
  }
}

async function renew(deps: Deps): Promise<void> {
  try {
    const isOurs = await deps.lease.renew()
    if (!isOurs) deps.running.stopAll('lease-lost')
    await deps.settlements.retryFailed()
  } catch (error) {
    deps.logger.error({ err: error }, 'the lease could not be renewed')
  }
}

async function sweep(deps: Deps, retention: RetentionSweep): Promise<void> {
  try {
    await sweepSessions(deps)
    await retention.run()
  } catch (error) {
    deps.logger.error({ err: error }, 'what is past its retention could not be deleted')
  }
}

async function drain(app: FastifyInstance, deps: Deps): Promise<void> {
  const closed = app.close()
  await deps.running.idle(DRAIN_MS)
  deps.running.stopAll('shutdown')
  await deps.running.idle(STOP_MS)
  await Promise.all([deps.admissions.drain(), deps.callLog.drain(), deps.settlements.drain()])
  await flush(app, closed)
}

// An execution is over a moment before its answer is on the wire, and other requests are not counted as running at all:
// a connection is closed once it is idle again.
async function flush(app: FastifyInstance, closed: Promise<void>): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
  const end = setTimeout(() => app.server.closeAllConnections(), FLUSH_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(end)
}

function addressOf(app: FastifyInstance, host: string): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}

// Where a database is, without who opens it.
function placeOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl)
  return host + pathname
}

function paymentsOf({ stripe }: Config): string {
  if (!stripe)
    return 'test provider: no money moves, anybody can confirm an upgrade (set STRIPE_SECRET_KEY for a real one)'
  return stripe.webhookSecret ? 'Stripe' : 'Stripe, whose messages are not taken (set STRIPE_WEBHOOK_SECRET)'
}

function summaryOf(config: Config, deps: Deps, url: string): string[] {
  const { store } = config
  return [
    `svc ${VERSION} is listening on ${url}`,
    `storage  ${store.engine === 'sqlite' ? `SQLite, ${databaseFile(store.folder)}` : `PostgreSQL, ${placeOf(store.url)}`}`,
    `model    ${deps.model.provider}:${deps.model.name}${deps.model.provider === 'demo' ? ' (built in, for trying out: set SVC_MODEL for a real one)' : ''}`,
    `payments ${paymentsOf(config)}`,
  ]
}
