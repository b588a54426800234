import { addRuntime, brokerPath, type Environment, openEnvironment, startWatched } from '../support/environment.ts'
import { type PostgresCluster, startPostgresCluster } from '../support/postgres-cluster.ts'
import { usageOf } from '../support/process-usage.ts'
import { requireTools } from '../support/programs.ts'
import { atLeast, atMost, type Check, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { median, rounded, sum } from '../support/statistics.ts'
import { createPostgresStore } from '../support/store.ts'
import { BROKER_BODY, CAPABILITY, ENDPOINT_BODY, MANIFEST } from './bodies.ts'
import { JSON_TYPE } from './contenders.ts'
import { startFixedAnswers } from './nginx.ts'
import { countRows } from './service.ts'
import { createLoad, type LoadRequest } from './wrk.ts'

const SETTINGS = { shared_buffers: '512MB' }
const MOST_REPLICAS = 3
const CLIENTS = 64
const ROUNDS = 3
const SECONDS = 6
/** How much more processor time a call may take where three replicas share the work of one. */
const COST_MARK = 2

interface Run {
  replicas: number
  owners: 'one' | 'many'
  requests: number
  failed: number
  callsPerSecond: number
  p99Ms: number
  /** Microseconds of a call. */
  serverCpu: number
  databaseCpu: number
}

export const replicas: Scenario = {
  name: 'replicas',
  title: 'broker calls against 1, 2 and 3 replicas on one PostgreSQL, of one owner and of many',
  engines: ['postgres'],
  async run(context) {
    requireTools(['wrk', 'nginx', 'taskset'], context.env)
    const cluster = await startPostgresCluster(context, SETTINGS)
    const upstream = await startFixedAnswers(context, { '/svc': { type: 'application/json', body: ENDPOINT_BODY } })
    const environment = await openEnvironment(context, { store: await createPostgresStore(cluster.url) })
    const paths = await openTenants(context, environment, `${upstream.url}/svc`)
    const servers = [environment.server]
    while (servers.length < MOST_REPLICAS) servers.push(await startWatched(context, environment.options))
    const setup = { context, cluster, environment, paths, servers }
    await runOnce(setup, MOST_REPLICAS, 'many', 1)
    const runs: Run[] = []
    for (let round = 0; round < context.count(ROUNDS); round += 1) {
      for (let count = 1; count <= MOST_REPLICAS; count += 1) {
        for (const owners of ['one', 'many'] as const)
          runs.push(await runOnce(setup, count, owners, context.count(SECONDS)))
      }
    }
    context.table(tableOf(runs))
    return judge(runs, await countRows(environment, "status = 'completed'"))
  },
}

interface Setup {
  context: ScenarioContext
  cluster: PostgresCluster
  environment: Environment
  paths: Readonly<Record<Run['owners'], readonly string[]>>
  servers: readonly Environment['server'][]
}

async function runOnce(setup: Setup, count: number, owners: Run['owners'], seconds: number): Promise<Run> {
  const { context, cluster, environment, paths } = setup
  const servers = setup.servers.slice(0, count)
  const [first = '', ...rest] = paths[owners]
  const toRequest = (path: string): LoadRequest => ({ path, headers: JSON_TYPE, body: BROKER_BODY })
  const requests: [LoadRequest, ...LoadRequest[]] = [toRequest(first), ...rest.map(toRequest)]
  const connections = Math.ceil(CLIENTS / count)
  const loads = servers.map(({ url }) => createLoad(context, { url, requests, connections }))
  // No plan's limit is to be met.
  await environment.store.connect(({ run }) => run('delete from allowances'))
  const serverMs = () => sum(servers.map(({ pid }) => usageOf(pid).cpuMs))
  const before = { server: serverMs(), database: cluster.cpuMs() }
  const results = await Promise.all(loads.map((load) => load(seconds)))
  const answered = sum(results.map((result) => result.requests))
  const perCall = (ms: number) => (ms * 1_000) / answered
  return {
    replicas: count,
    owners,
    requests: answered,
    failed: sum(results.map(({ refused, broken }) => refused + broken)),
    callsPerSecond: sum(results.map((result) => result.requests / result.seconds)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    serverCpu: perCall(serverMs() - before.server),
    databaseCpu: perCall(cluster.cpuMs() - before.database),
  }
}

/** Pure: what must hold of a measurement, however fast the machine is. */
export function judge(runs: readonly Run[], completed: number): Check[] {
  const cost = (count: number, owners: Run['owners']) =>
    median(
      runs
        .filter((run) => run.replicas === count && run.owners === owners)
        .map((run) => run.serverCpu + run.databaseCpu),
    )
  return [
    exactly('calls that were not answered with 200', sum(runs.map(({ failed }) => failed)), 0),
    atLeast('executions completed, of calls that were answered', completed, sum(runs.map(({ requests }) => requests))),
    ...(['one', 'many'] as const).map((owners) =>
      atMost(
        `${owners} owner(s): processor time of a call, 3 replicas to 1`,
        cost(3, owners) / cost(1, owners),
        COST_MARK,
      ),
    ),
  ]
}

function tableOf(runs: readonly Run[]) {
  const rows = runs.map(({ replicas: count, owners, ...figures }) => [
    String(count),
    owners,
    ...[figures.callsPerSecond, figures.p99Ms, figures.serverCpu, figures.databaseCpu].map(rounded),
  ])
  return { head: ['replicas', 'owners', 'calls/s', 'p99 ms', 'server CPU µs', 'database CPU µs'], rows }
}

/**
 * Registers runtimes over the API and gives all but those of one owner to owners of their own, in the database, on a plan
 * that has every bucket. The count of runtimes bounds the calls of a run: each may be called 6,000 times a minute.
 */
async function openTenants(
  { count }: ScenarioContext,
  environment: Environment,
  endpoint: string,
): Promise<Setup['paths']> {
  const ids: string[] = []
  const ofOne = count(400, 60)
  while (ids.length < ofOne + count(1_000, 120)) ids.push((await addRuntime(environment, endpoint, MANIFEST)).runtimeId)
  await environment.store.connect(async ({ rows, run }) => {
    const given = `(select id, 'own_' || substr(id, 4) as owner from unnest(?::text[]) as ids(id)) as given`
    const insert = `insert into owners (owner_id, email, tier, created_at)
      select owner, lower(owner) || '@example.com', 'pro', 0 from ${given}`
    await rows(insert, [ids.slice(ofOne)])
    for (const table of ['runtimes', 'deployments', 'credentials']) {
      const update = `update ${table} set owner_id = owner from ${given} where ${table}.runtime_id = given.id`
      await rows(update, [ids.slice(ofOne)])
    }
    await run(`update runtimes set revision = revision + 1; update owners set tier = 'pro'`)
  })
  const paths = ids.map((runtimeId) => brokerPath({ runtimeId }, CAPABILITY))
  return { one: paths.slice(0, ofOne), many: paths.slice(ofOne) }
}
