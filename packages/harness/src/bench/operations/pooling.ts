import pg from 'pg'
import { startPostgresCluster } from '../../support/postgres-cluster.ts'
import {
  atLeast,
  atMost,
  type Check,
  exactly,
  type Scenario,
  type ScenarioContext,
  withFindings,
} from '../../support/scenario.ts'
import { startServer } from '../../support/server.ts'
import { median, rounded } from '../../support/statistics.ts'
import { createPostgresStore, type Store } from '../../support/store.ts'
import { type CallLoad, createCallLoad } from '../load/call-load.ts'
import { startFixedEndpoint } from '../load/fixed-endpoint.ts'
import { serverFaults } from '../load/server-faults.ts'
import { createTenants } from '../replicas/tenants.ts'
import { POOLER_ROLE, startPooler } from './pooler.ts'

const REPLICAS = 3
/** Fewer than the replicas hold open between them, so that they must share. */
const CONNECTIONS = 8
const CLIENTS = 48
const OWNERS = 20
/** As the server asks for them without a pooler. */
const LIMITS = { statement_timeout: '5s', lock_timeout: '2s', idle_in_transaction_session_timeout: '10s' }

/** Replicas that share a few connections through pgbouncer in transaction mode. */
export const pooling: Scenario = {
  name: 'pooling',
  title: 'three replicas through pgbouncer in transaction mode, against three with connections of their own',
  engines: ['postgres'],
  tables: ['rates'],
  async run(context) {
    const cluster = await startPostgresCluster({ shared_buffers: '512MB' })
    context.onEnd(cluster.remove)
    const direct = await createPostgresStore(cluster.url)
    const endpoint = await startFixedEndpoint()
    context.onEnd(endpoint.close)
    const tenants = await createTenants(context, {
      store: direct,
      endpoint: endpoint.url,
      runtimesOfOne: 1,
      owners: context.count(OWNERS),
    })
    await createRole(direct.location)
    const pooler = await startPooler(cluster.port, { connections: CONNECTIONS })
    context.onEnd(pooler.remove)
    const pooledUrl = pooler.urlOf(direct.location)
    const pooled: Store = { ...direct, serverEnv: { ...direct.serverEnv, DATABASE_URL: pooledUrl } }
    const loads = [
      await openLoad(context, direct, tenants.manyOwners),
      await openLoad(context, pooled, tenants.manyOwners),
    ]
    const rates = await inTurns(context, loads)
    const [own = 0, shared = 0] = rates.perSecond
    const rows = [
      ['with connections of their own', rounded(own)],
      ['through pgbouncer', rounded(shared)],
    ]
    context.table({ name: 'rates', head: ['three replicas', 'calls/s'], rows })
    const [row] = await direct.query(`select count(*) as count from executions where status = 'completed'`)
    return [
      withFindings(exactly('kinds of calls that were not answered with 200', rates.failures.length, 0), rates.failures),
      exactly('executions completed, against calls that the endpoint answered', Number(row?.['count']), endpoint.calls),
      atLeast('calls through the pooler, to calls without', shared / own, 0.7),
      ...(await checkPooled(pooledUrl, direct)),
    ]
  },
}

/** A pooler hands a connection's settings to nobody; a role's are in force on every connection. */
async function createRole(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`create role ${POOLER_ROLE} superuser login`)
    for (const [name, value] of Object.entries(LIMITS))
      await client.query(`alter role ${POOLER_ROLE} set ${name} = '${value}'`)
  })
}

async function openLoad(
  context: ScenarioContext,
  store: Store,
  paths: readonly [string, ...string[]],
): Promise<CallLoad> {
  const options = { store, serverFolder: context.serverFolder, env: context.env }
  const servers = await Promise.all(Array.from({ length: context.count(REPLICAS) }, () => startServer(options)))
  context.onEnd(async () => {
    for (const server of servers) server.kill('SIGTERM')
    for (const { stderr } of await Promise.all(servers.map(({ ended }) => ended))) {
      for (const fault of serverFaults(stderr)) context.say(`a server logged ${fault}`)
    }
  })
  const load = createCallLoad({
    urls: servers.map(({ url }) => url),
    clients: CLIENTS,
    paths,
    random: context.random.fork(),
  })
  context.onEnd(load.close)
  return load
}

async function inTurns({ count }: ScenarioContext, loads: readonly CallLoad[]) {
  const perSecond = loads.map((): number[] => [])
  const failures: string[] = []
  for (let round = 0; round < count(3); round += 1) {
    for (const [index, load] of loads.entries()) {
      const { calls, kinds, elapsedMs } = await load.run(count(4_000, 200))
      perSecond[index]?.push((calls / elapsedMs) * 1_000)
      for (const [kind, times] of kinds)
        failures.push(`${times} × ${kind}, ${index === 0 ? 'without' : 'with'} the pooler`)
    }
  }
  return { perSecond: perSecond.map(median), failures }
}

async function checkPooled(pooledUrl: string, direct: Store): Promise<Check[]> {
  const shown = await withClient(pooledUrl, (client) =>
    client.query<{ limit: string }>(
      `select current_setting('statement_timeout') || ' ' || current_setting('lock_timeout') || ' ' ||
       current_setting('idle_in_transaction_session_timeout') as limit`,
    ),
  )
  const [inPool] = await direct.query(`select count(*) as count from pg_stat_activity where usename = '${POOLER_ROLE}'`)
  const limits = shown.rows[0]?.limit ?? ''
  const expected = Object.values(LIMITS).join(' ')
  return [
    {
      what: 'time limits in force through the pooler',
      measured: limits,
      passMark: expected,
      passed: limits === expected,
    },
    atMost('connections of the pooler to PostgreSQL', Number(inPool?.['count']), CONNECTIONS),
  ]
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
