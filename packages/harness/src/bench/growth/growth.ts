import { AnalyticsSummary } from '@svc/contract'
import { createOwner, deploy, registerRuntime } from '../../support/owner.ts'
import { startPostgresCluster } from '../../support/postgres-cluster.ts'
import { type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { startServer } from '../../support/server.ts'
import { createPostgresStore, createSqliteStore, type Store } from '../../support/store.ts'
import { startFixedEndpoint } from '../load/fixed-endpoint.ts'
import { fillHistory } from './fill.ts'
import { planHistory } from './history-plan.ts'
import { checkGrowth, growthTable } from './judge.ts'
import { measureGrowth } from './measure.ts'
import { type HistorySource, read } from './reads.ts'

const SMALLEST = 10_000
const LARGEST = { sqlite: 1_000_000, postgres: 10_000_000 }
const RUNTIMES = 10
const CAPABILITIES = ['orders-find', 'orders-list', 'stock-look-up', 'price-quote', 'returns-begin'] as const
const FILLING = { shared_buffers: '512MB', wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '8GB' }
const SERVING = { shared_buffers: '512MB' }
/** Up to here, calls keep the payloads of a real service; beyond, less of them, so that the disk holds it. */
const FULL_PAYLOADS = 1_000_000

interface History extends HistorySource {
  size: number
  store: Store
}

/** Listing, traces, analytics and calls over HTTP with ever more executions stored. */
export const growth: Scenario = {
  name: 'growth',
  title: 'what requests take with 10⁴ to 10⁷ executions stored, against the smallest',
  engines: ['sqlite', 'postgres'],
  tables: ['sqlite', 'postgres'],
  async run(context) {
    const sizes = sizesFor(context)
    const endpoint = await startFixedEndpoint()
    context.onEnd(endpoint.close)
    const prepare = await preparer(context)
    const histories: History[] = []
    for (const size of sizes)
      histories.push(await makeHistory(context, { size, store: await prepare.store(), endpoint: endpoint.url }))
    await prepare.allFilled()
    const served: History[] = []
    for (const history of histories) served.push({ ...history, ...(await serve(context, history.store)) })
    const rows = await measureGrowth(context, served, () => prepare.databaseCpuMs())
    context.table(growthTable(context.engine, sizes, rows))
    return [...(await Promise.all(served.map(checkTotals))), ...checkGrowth(rows)]
  },
}

function sizesFor({ engine, count }: ScenarioContext): number[] {
  const largest = count(LARGEST[engine], SMALLEST * 2)
  const sizes = [10_000, 100_000, 1_000_000, 10_000_000].filter((size) => size < largest)
  return [...sizes, largest]
}

/** Makes empty stores; on PostgreSQL in a cluster of their own, whose log is short until all of them are full. */
async function preparer({ engine, onEnd }: ScenarioContext) {
  const cluster = engine === 'postgres' ? await startPostgresCluster(FILLING) : null
  if (cluster !== null) onEnd(cluster.remove)
  return {
    async store() {
      if (cluster !== null) return createPostgresStore(cluster.url)
      const store = createSqliteStore()
      onEnd(store.remove)
      return store
    },
    allFilled: async () => cluster?.restart(SERVING),
    databaseCpuMs: () => (cluster === null ? 0 : cluster.cpuMs()),
  }
}

async function makeHistory(
  context: ScenarioContext,
  { size, store, endpoint }: { size: number; store: Store; endpoint: string },
): Promise<History> {
  const options = { store, serverFolder: context.serverFolder, env: context.env }
  const owner = await createOwner(options, 'big@example.com', 'enterprise')
  const server = await startServer(options)
  const runtimes: { runtimeId: string; projectId: string; capability: string }[] = []
  for (let index = 0; index < RUNTIMES; index += 1) {
    const capability = CAPABILITIES[index % CAPABILITIES.length] ?? CAPABILITIES[0]
    const runtime = await registerRuntime(server.url, owner, { name: `Shop ${index}`, endpoint })
    await deploy(server.url, runtime, [capability])
    runtimes.push({ ...runtime, capability })
  }
  server.kill('SIGTERM')
  await server.ended
  const [first] = runtimes
  if (first === undefined) throw new Error('there is no runtime')
  const payloadBytes = size > FULL_PAYLOADS ? { input: 60, output: 80 } : { input: 250, output: 550 }
  const plan = planHistory(context.random.fork(), { ...owner, projectId: first.projectId, runtimes }, payloadBytes)
  const endsAt = Date.now() - 60_000
  const begun = Date.now()
  await fillHistory(store, { count: size, plan, endsAt })
  context.say(`${size} executions filled in ${Math.round((Date.now() - begun) / 1000)} s, ${await sizeOf(store)}`)
  return {
    size,
    store,
    url: '',
    pid: 0,
    apiKey: owner.apiKey,
    runtimeIds: runtimes.map(({ runtimeId }) => runtimeId),
    projectId: first.projectId,
    capabilityPaths: [
      `/v1/capabilities/${first.runtimeId}/${first.capability}`,
      ...runtimes.slice(1).map(({ runtimeId, capability }) => `/v1/capabilities/${runtimeId}/${capability}`),
    ],
    beginsAt: endsAt - plan.lengthMs,
    endsAt,
    executionIds: await sampleIds(store, owner.ownerId, context.random.fork().next()),
  }
}

async function sizeOf(store: Store): Promise<string> {
  const sql =
    store.engine === 'postgres'
      ? 'select pg_database_size(current_database()) as bytes'
      : 'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()'
  const [row] = await store.query(sql)
  return `${(Number(row?.['bytes']) / 1e9).toFixed(2)} GB`
}

/** Ids from all over the history. */
async function sampleIds(store: Store, ownerId: string, share: number): Promise<string[]> {
  const wanted = 200
  const [row] = await store.query('select count(*) as count from executions where owner_id = ?', [ownerId])
  const step = Math.max(1, Math.floor(Number(row?.['count']) / wanted))
  const rows = await store.query(
    `select execution_id from (
       select execution_id, row_number() over (order by execution_id) as place from executions where owner_id = ?
     ) as numbered where place % ? = ?`,
    [ownerId, step, Math.floor(step * share)],
  )
  return rows.map((each) => String(each['execution_id']))
}

async function serve(context: ScenarioContext, store: Store): Promise<Pick<History, 'url' | 'pid'>> {
  const server = await startServer({ store, serverFolder: context.serverFolder, env: context.env })
  context.onEnd(async () => {
    server.kill('SIGTERM')
    await server.ended
  })
  return { url: server.url, pid: server.pid }
}

/** The counters of a filled history are those of its rows: otherwise what was measured is no summary of it. */
async function checkTotals(history: History): Promise<Check> {
  const [row] = await history.store.query(
    `select count(*) as count from executions where runtime_id in (${history.runtimeIds.map(() => '?').join(', ')})`,
    history.runtimeIds,
  )
  const summary = AnalyticsSummary.parse(await read(history, `/v1/analytics/summary?from=${history.beginsAt}`))
  return exactly(
    `${history.size} executions: those in the summary, against those of the big owner`,
    summary.totals.executions,
    Number(row?.['count']),
  )
}
