import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../support/arguments.ts'
import { createOwner, deploy, registerRuntime } from '../../support/owner.ts'
import type { PostgresCluster } from '../../support/postgres-cluster.ts'
import { usageOf } from '../../support/process-usage.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { type ServerProcess, startServer } from '../../support/server.ts'
import { createPostgresStore, createSqliteStore, type Store } from '../../support/store.ts'
import { INPUT_SCHEMA } from '../broker/bodies.ts'
import type { Cpu } from '../load/rounds.ts'

/** A server of this project with a store of its own and one owner on the largest plan. */
export interface Service {
  engine: Engine
  server: ServerProcess
  store: Store
  /** Fewer than one for each caller would run into the bounds of a single runtime. */
  runtimes: readonly FleetRuntime[]
  cpu(): Cpu
}

export interface FleetRuntime {
  runtimeId: string
  publicKey: string
  endpoint: string
}

export interface ServiceOptions {
  engine: Engine
  /** Where the store of PostgreSQL is made. */
  cluster: PostgresCluster | null
  serverFolder: string
  /** One runtime for each; all have one capability, `search`. */
  endpoints: readonly string[]
  /** Base address of the model's provider, which speaks the dialect of OpenAI. */
  modelUrl: string
  /** Arguments of Node's own. */
  nodeArguments?: readonly string[]
}

export const CAPABILITY = 'search'

/** Starts it as an operator would, its log at the usual level and in a file; ends with the scenario. */
export async function startService(context: ScenarioContext, options: ServiceOptions): Promise<Service> {
  const { engine, cluster, serverFolder, endpoints, modelUrl, nodeArguments = [] } = options
  const store = await openStore(engine, cluster)
  context.onEnd(() => store.remove())
  const folder = mkdtempSync(join(tmpdir(), 'svc-harness-log-'))
  context.onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const log = join(folder, 'server.log')
  const surroundings = { store, serverFolder, env: context.env }
  const server = await startServer({
    ...surroundings,
    nodeArguments,
    variables: { SVC_LOG_LEVEL: 'info', SVC_MODEL: 'openai-compatible:fake', SVC_MODEL_BASE_URL: `${modelUrl}/v1` },
    wrapper: ['sh', '-c', `exec "$0" "$@" 2>${log}`],
  }).catch((error: unknown) => {
    throw new Error(`the server did not start: ${readFileSync(log, 'utf8').slice(0, 2_000)}`, { cause: error })
  })
  context.onEnd(async () => {
    server.kill()
    await server.ended
  })
  const owner = await createOwner(surroundings, 'owner@example.com', 'enterprise')
  const runtimes: FleetRuntime[] = []
  for (const [index, endpoint] of endpoints.entries()) {
    const runtime = await registerRuntime(server.url, owner, { name: `runtime ${index}`, endpoint })
    await deploy(server.url, runtime, [CAPABILITY], MANIFEST)
    runtimes.push({ runtimeId: runtime.runtimeId, publicKey: runtime.publicKey, endpoint })
  }
  return { engine, server, store, runtimes, cpu: () => cpuOf(server.pid, engine === 'sqlite' ? null : cluster) }
}

const MANIFEST = {
  capabilities: [
    {
      name: CAPABILITY,
      version: '1.0.0',
      description: 'Finds products of the shop.',
      actions: [{ name: CAPABILITY, inputSchema: INPUT_SCHEMA }],
    },
  ],
}

function openStore(engine: Engine, cluster: PostgresCluster | null): Promise<Store> {
  if (engine === 'sqlite') return Promise.resolve(createSqliteStore())
  if (cluster === null) throw new Error('a service on PostgreSQL needs a server')
  return createPostgresStore(cluster.url)
}

/** Of a process, and of the database server where one is named. */
export function cpuOf(pid: number, cluster: PostgresCluster | null = null): Cpu {
  const { cpuMs, mainThreadCpuMs } = usageOf(pid)
  return { processMs: cpuMs, mainThreadMs: mainThreadCpuMs, databaseMs: cluster?.cpuMs() ?? 0 }
}
