import { startPostgresCluster } from '../../support/postgres-cluster.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { type ServerProcess, startServer } from '../../support/server.ts'
import { createPostgresStore, type Store } from '../../support/store.ts'
import { startFixedEndpoint } from '../load/fixed-endpoint.ts'
import { serverFaults } from '../load/server-faults.ts'
import { type Measuring, measureRun, type ReplicaRun } from './measure.ts'
import { observe } from './observe.ts'
import { createTenants, type Tenants } from './tenants.ts'

/** Everything that is measured on one cluster. */
export interface ReplicaRuns {
  /** One, two and three replicas, with one owner and with many, in rounds. */
  runs: readonly ReplicaRun[]
  statements: readonly { share: number; calls: number; query: string }[]
  /** Calls that the endpoint answered, and executions that the database says have completed. */
  answered: number
  completed: number
}

const SETTINGS = { shared_buffers: '512MB', shared_preload_libraries: 'pg_stat_statements' }
const MAX_REPLICAS = 3
const CLIENTS = 64

/** Starts a cluster, three replicas and an endpoint, and measures one after the other. */
export async function measureReplicas(context: ScenarioContext): Promise<ReplicaRuns> {
  const cluster = await startPostgresCluster(SETTINGS)
  context.onEnd(cluster.remove)
  const store = await createPostgresStore(cluster.url)
  const endpoint = await startFixedEndpoint()
  context.onEnd(endpoint.close)
  const owners = context.count(1_000, 120)
  const runtimesOfOne = context.count(400, 60)
  const tenants = await createTenants(context, { store, endpoint: endpoint.url, runtimesOfOne, owners })
  const observer = await observe(store.location)
  context.onEnd(observer.close)
  const options = { store, serverFolder: context.serverFolder, env: context.env }
  const servers = await Promise.all(Array.from({ length: MAX_REPLICAS }, () => startServer(options)))
  context.onEnd(async () => {
    for (const server of servers) server.kill('SIGTERM')
    for (const { stderr } of await Promise.all(servers.map(({ ended }) => ended))) {
      for (const fault of serverFaults(stderr)) context.say(`a server logged ${fault}`)
    }
  })
  const measuring = { observer, cluster, random: context.random.fork() }
  // Not counted: a server that has just started spends more on its first calls.
  const warmUp = { servers, clients: CLIENTS, owners, paths: tenants.manyOwners }
  await measureRun(measuring, { ...warmUp, warmUpMs: 0, lengthMs: context.count(6_000, 100) })
  const runs = await runRounds(context, measuring, { servers, tenants, owners })
  return {
    runs,
    statements: await observer.statements(12),
    answered: endpoint.calls,
    completed: await countCompleted(store),
  }
}

async function countCompleted(store: Store): Promise<number> {
  const [row] = await store.query("select count(*) as completed from executions where status = 'completed'")
  return Number(row?.['completed'])
}

interface Stage {
  servers: readonly ServerProcess[]
  tenants: Tenants
  owners: number
}

async function runRounds(context: ScenarioContext, measuring: Measuring, stage: Stage): Promise<ReplicaRun[]> {
  const { servers, tenants, owners } = stage
  const runs: ReplicaRun[] = []
  for (let round = 0; round < context.count(3); round += 1) {
    for (let replicas = 1; replicas <= MAX_REPLICAS; replicas += 1) {
      const plan = { servers: servers.slice(0, replicas), clients: CLIENTS, ...lengths(context) }
      runs.push(await measureRun(measuring, { ...plan, owners: 1, paths: tenants.oneOwner }))
      runs.push(await measureRun(measuring, { ...plan, owners, paths: tenants.manyOwners }))
    }
    context.say(
      `round ${round + 1}: ${runs
        .slice(-6)
        .map((run) => Math.round(run.callsPerSecond))
        .join(', ')} calls/s`,
    )
  }
  return runs
}

function lengths({ count }: ScenarioContext): { warmUpMs: number; lengthMs: number } {
  return { warmUpMs: count(1_500, 100), lengthMs: count(6_000, 200) }
}
