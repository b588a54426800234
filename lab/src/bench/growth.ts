import { AnalyticsSummary, CapabilityCall, type CreatedRuntime, ExecutionList } from '@svc/contract'
import { type Client, createClient } from '../support/client.ts'
import {
  addRuntime,
  addTenant,
  brokerPath,
  capability,
  get,
  openEnvironment,
  saying,
  startWatched,
  stopServer,
} from '../support/environment.ts'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { TICK_MS, usageOf } from '../support/process-usage.ts'
import { temporaryFolder } from '../support/programs.ts'
import type { Random } from '../support/random.ts'
import { atMost, type Check, exactly, type Scenario, type ScenarioContext, type Table } from '../support/scenario.ts'
import { answerJson, startServing } from '../support/serving.ts'
import { median, quantile, rounded } from '../support/statistics.ts'
import { createPostgresStore, type Store, sqliteStoreIn } from '../support/store.ts'
import { until } from '../support/within.ts'
import { copiedId, multiplyExecutions } from './fill.ts'

const SMALLEST = 10_000
const LARGEST = { sqlite: 1_000_000, postgres: 10_000_000 }
const OWNERS = 10
/** Of each owner, and then copied. */
const CALLS_EACH = 50
/** 90 days. */
const HOURS = 2_160
const RUNTIMES = 10
const CAPABILITIES = ['orders-find', 'orders-list', 'stock-look-up', 'price-quote', 'returns-begin'] as const
const FILLING = { shared_buffers: '512MB', wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '8GB' }
const SERVING = { shared_buffers: '512MB' }
/** Beyond, calls keep less of their payloads, so that the disk holds it. */
const FULL_PAYLOADS = 1_000_000
const PASS_MARK = 3
const SAMPLES = 500
const BLOCKS = 5
const MOST_TRIES = 3
/** So many requests that the kernel's clock, of hundredths of a second, tells the time of one. */
const CPU_SAMPLES = 200
const YEAR_MS = 365 * 86_400_000

interface History {
  size: number
  store: Store
  apiKey: string
  runtimeIds: readonly string[]
  projectId: string
  capabilityPaths: readonly string[]
  executionIds: readonly string[]
  beginsAt: number
  endsAt: number
}

interface Served extends History {
  client: Client
  /** Processor time that its server and the database have spent, milliseconds. */
  cpuMs(): number
}

export const growth: Scenario = {
  name: 'growth',
  title: 'what requests take with 10⁴ to 10⁷ executions stored, against the smallest',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const largest = context.count(LARGEST[context.engine], 2_000)
    const smallest = Math.min(SMALLEST, Math.floor(largest / 2))
    const sizes = [smallest, ...[100_000, 1_000_000].filter((size) => size < largest), largest]
    const endpoint = await startServing(context, (body, response) => {
      const { fails = false, note } = CapabilityCall.parse(JSON.parse(body)).input
      const failure = { output: null, error: { message: 'The stock is being counted.' } }
      answerJson(response, fails ? failure : { output: { state: 'shipped', note: [note, note] } })
    })
    const cluster = context.engine === 'postgres' ? await startPostgresCluster(context, FILLING) : null
    const histories: History[] = []
    for (const size of sizes) {
      const store = cluster === null ? sqliteStoreIn(temporaryFolder(context)) : await createPostgresStore(cluster.url)
      histories.push(await makeHistory({ ...context, endpoint }, store, size))
    }
    await cluster?.restart(SERVING)
    const served: Served[] = []
    for (const history of histories) {
      const { env, serverFolder } = context
      const { url, pid } = await startWatched(context, { store: history.store, env, serverFolder })
      served.push({
        ...history,
        client: createClient(url, 1),
        cpuMs: () => usageOf(pid).cpuMs + (cluster?.cpuMs() ?? 0),
      })
    }
    const rows = await measureAll(context, served)
    context.table(tableOf(sizes, rows))
    return [...(await Promise.all(served.map(checkTotals))), ...rows.flatMap(checkGrowth)]
  },
}

/** A store with owners of as many executions each, filled once no server has it open. */
async function makeHistory(
  context: ScenarioContext & { endpoint: string },
  store: Store,
  size: number,
): Promise<History> {
  const environment = await openEnvironment(context, { store })
  // To make an account takes a process: a quick look has two.
  const owners = context.count(OWNERS) < OWNERS ? 2 : OWNERS
  const payload = 'the blue one; '.repeat(size > FULL_PAYLOADS ? 4 : 20)
  const runtimes: Called[] = []
  for (let index = 0; index < RUNTIMES; index += 1) {
    const name = CAPABILITIES[index % CAPABILITIES.length] ?? CAPABILITIES[0]
    const runtime = await addRuntime(environment, context.endpoint, capability(name))
    runtimes.push({ ...runtime, path: brokerPath(runtime, name) })
  }
  const client = createClient(environment.server.url)
  await callAll(client, runtimes, payload)
  for (let index = 1; index < owners; index += 1) {
    const runtime = await addTenant(environment, { email: `small-${index}@example.com`, endpoint: context.endpoint })
    await callAll(client, [{ ...runtime, path: brokerPath(runtime) }], payload)
  }
  const isCounted = async () => (await store.query('select 1 from usage_journal')).length === 0
  if (!(await until(isCounted, 30_000))) throw new Error('executions were not counted')
  const { ownerId, apiKey } = environment.owner
  const rows = await store.query("select execution_id from executions where owner_id = ? and kind = 'broker'", [
    ownerId,
  ])
  await stopServer(environment.server)
  const copies = size / (owners * CALLS_EACH)
  await multiplyExecutions(store, { copies, hours: HOURS })
  context.say(`${size} executions filled`)
  const { random } = context
  const endsAt = Date.now()
  return {
    size,
    store,
    apiKey,
    runtimeIds: runtimes.map(({ runtimeId }) => runtimeId),
    projectId: runtimes[0]?.projectId ?? '',
    capabilityPaths: runtimes.map(({ path }) => path),
    // From all over the history.
    executionIds: rows.map(({ execution_id: id }) => copiedId(String(id), random.int(1, copies - 1))),
    beginsAt: endsAt - HOURS * 3_600_000,
    endsAt,
  }
}

type Called = CreatedRuntime & { path: string }

/** One of fifty fails, three of five come through the broker. */
async function callAll(client: Client, runtimes: readonly Called[], note: string): Promise<void> {
  for (let index = 0; index < CALLS_EACH; index += 1) {
    const { path, publicKey } = runtimes[index % runtimes.length] ?? { path: '/' }
    const execute = { path: '/v1/runtime/execute', key: publicKey, body: { messages: saying('Hello') } }
    const call = { path, body: { input: { orderId: `A-${index}`, note, fails: index === 0 } } }
    const { status, text } = await client.send(index % 5 < 3 ? call : execute)
    if (status !== (index === 0 ? 502 : 200)) throw new Error(`a call was answered with ${status}: ${text}`)
  }
}

/** A kind of request, as every history is asked for it. */
interface Request {
  name: string
  method: 'GET' | 'POST'
  /** Each request takes the next. */
  paths: readonly string[]
  /** Text that an answer must hold to count. */
  mark: string
}

async function requestsOf(history: Served, random: Random): Promise<Request[]> {
  const list = '/v1/executions'
  const { client, apiKey, runtimeIds, projectId, beginsAt, endsAt } = history
  const quarter = (endsAt - beginsAt) / 4
  const middle = `from=${Math.round(beginsAt + quarter)}&to=${Math.round(endsAt - quarter)}`
  const cursors: string[] = []
  // So much remains behind each that even the smallest history fills a page of failed ones.
  while (cursors.length < 20) {
    const to = Math.round(beginsAt + (endsAt - beginsAt) * (0.7 + 0.25 * random.next()))
    const page = ExecutionList.parse(await get(`${client.url}${list}?limit=1&to=${to}`, apiKey))
    cursors.push(page.nextCursor ?? '')
  }
  const each = (page: string) => cursors.map((cursor) => `${list}?${page}&cursor=${cursor}`)
  const reading = (name: string, paths: readonly string[], mark = '"executions":[{') =>
    ({ name, method: 'GET', paths, mark }) as const
  const summary = (lengthMs: number) => [`/v1/analytics/summary?from=${endsAt - lengthMs}`]
  return [
    reading('newest page', [`${list}?limit=50`]),
    reading('deep page', each('limit=50')),
    reading('deep page, failed', each('limit=10&status=failed')),
    reading('newest page of a runtime', [`${list}?limit=50&runtimeId=${runtimeIds[0]}`]),
    reading('page of a runtime, middle half', [`${list}?limit=10&runtimeId=${runtimeIds[0]}&${middle}`]),
    reading('page of a project, failed', [`${list}?limit=10&projectId=${projectId}&status=failed`]),
    reading(
      'one trace',
      history.executionIds.map((id) => `${list}/${id}`),
      '"capabilityCalls":[{',
    ),
    reading('summary of 7 days', summary(7 * 86_400_000), '"capabilities":[{'),
    reading('summary of a year', summary(YEAR_MS), '"capabilities":[{'),
    reading('billing usage', ['/v1/billing/usage'], '"periodStart"'),
    { name: 'broker call', method: 'POST', paths: history.capabilityPaths, mark: '"executionId"' },
  ]
}

const BODY = JSON.stringify({ input: { orderId: 'A-1042', note: 'where is it'.repeat(24) } })

/** Milliseconds until the answer was read. Throws one that is not right. */
async function ask({ client, apiKey }: Served, { method, paths, mark }: Request, turn: number): Promise<number> {
  const path = paths[turn % paths.length] ?? '/'
  const begun = performance.now()
  const { status, text } = await client.send({
    method,
    path,
    ...(method === 'POST' ? { text: BODY } : { key: apiKey }),
  })
  const ms = performance.now() - begun
  if (status === 200 && text.includes(mark)) return ms
  throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`)
}

/** One kind of request on every history, the smallest first; milliseconds. */
export interface GrowthRow {
  name: string
  times: readonly { p50: number; p99: number; cpu: number }[]
}

async function measureAll(context: ScenarioContext, histories: readonly Served[]): Promise<GrowthRow[]> {
  const requests = await Promise.all(histories.map((history) => requestsOf(history, context.random.fork())))
  const rows: GrowthRow[] = []
  for (const [kind, { name }] of (requests[0] ?? []).entries()) {
    const sides = histories.flatMap((history, index) => {
      const request = requests[index]?.[kind]
      return request === undefined ? [] : [{ history, request }]
    })
    const tries: GrowthRow[] = []
    // A scan is slow every time; what comes and goes is the machine's.
    do tries.push(await measureOnce(context, name, sides))
    while (!tries.some((row) => worstOf(row) <= PASS_MARK) && tries.length < context.count(MOST_TRIES))
    rows.push(tries.reduce((best, one) => (worstOf(one) < worstOf(best) ? one : best)))
  }
  return rows
}

type Side = { history: Served; request: Request }

// Block by block and in turn, so that a disturbance of the machine disturbs all of them alike.
async function measureOnce({ count }: ScenarioContext, name: string, sides: readonly Side[]): Promise<GrowthRow> {
  const perBlock = Math.ceil(count(SAMPLES, BLOCKS) / BLOCKS)
  const blocks = sides.map((): number[][] => [])
  for (let block = 0; block <= BLOCKS; block += 1) {
    const taken = sides.map((): number[] => [])
    for (let turn = 0; turn < perBlock; turn += 1) {
      for (const [index, { history, request }] of [...sides.entries()].toReversed())
        taken[index]?.push(await ask(history, request, block * perBlock + turn))
    }
    // The first block warms up.
    if (block > 0) for (const [index, times] of taken.entries()) blocks[index]?.push(times)
  }
  const times: GrowthRow['times'][number][] = []
  for (const [index, { history, request }] of sides.entries()) {
    const samples = count(CPU_SAMPLES, 5)
    const before = history.cpuMs()
    for (let turn = 0; turn < samples; turn += 1) await ask(history, request, turn)
    const at = (share: number) => median((blocks[index] ?? []).map((block) => quantile(block, share)))
    // Less than a tick of the kernel's clock reads as nothing, or as one.
    const cpuMs = Math.max(TICK_MS, history.cpuMs() - before)
    times.push({ p50: at(0.5), p99: at(0.99), cpu: cpuMs / samples })
  }
  return { name, times }
}

const FIGURES = { p50: 'p50', p99: 'p99', cpu: 'processor time' } as const

/** The worst of all histories in relation to the smallest. */
function growthOf({ times: [smallest, ...larger] }: GrowthRow, figure: keyof typeof FIGURES): number {
  if (smallest === undefined || larger.length === 0) throw new Error('there is nothing to compare')
  return Math.max(...larger.map((time) => time[figure] / smallest[figure]))
}

function worstOf(row: GrowthRow): number {
  return Math.max(growthOf(row, 'p50'), growthOf(row, 'p99'), growthOf(row, 'cpu'))
}

export function checkGrowth(row: GrowthRow): Check[] {
  return (['p50', 'p99', 'cpu'] as const).map((figure) =>
    atMost(`${row.name}: ${FIGURES[figure]}, worst size to smallest`, growthOf(row, figure), PASS_MARK),
  )
}

function tableOf(sizes: readonly number[], rows: readonly GrowthRow[]): Table {
  return {
    head: ['ms', ...sizes.map((size) => `${size.toLocaleString('en')}: p50 / p99, CPU`), 'ratio of p50', 'p99', 'CPU'],
    rows: rows.map((row) => [
      row.name,
      ...row.times.map(({ p50, p99, cpu }) => `${rounded(p50)} / ${rounded(p99)}, ${rounded(cpu)}`),
      ...(['p50', 'p99', 'cpu'] as const).map((figure) => rounded(growthOf(row, figure))),
    ]),
  }
}

/** The counters of a filled history are those of its rows: otherwise what was measured is no summary of it. */
async function checkTotals(history: Served): Promise<Check> {
  const places = history.runtimeIds.map(() => '?').join(', ')
  const [row] = await history.store.query(
    `select count(*) as count from executions where runtime_id in (${places})`,
    history.runtimeIds,
  )
  const url = `${history.client.url}/v1/analytics/summary?from=${history.beginsAt}`
  const summary = AnalyticsSummary.parse(await get(url, history.apiKey))
  const what = `${history.size} executions: those in the summary, against those of the big owner`
  return exactly(what, summary.totals.executions, Number(row?.['count']))
}
