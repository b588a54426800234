import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addRuntime, type Environment, openEnvironment } from '../support/environment.ts'
import { type PostgresCluster, startPostgresCluster } from '../support/postgres-cluster.ts'
import { type Listener, startListener, temporaryFolder } from '../support/programs.ts'
import { atLeast, type Check, type Engine, exactly, type ScenarioContext } from '../support/scenario.ts'
import { createPostgresStore, sqliteStoreIn } from '../support/store.ts'
import { MANIFEST } from './bodies.ts'
import { cpuOf } from './rounds.ts'

const SERVICE_NAMES = { sqlite: 'svc on SQLite', postgres: 'svc on PostgreSQL' } as const

/** A server of this project as an operator runs it, its log at the usual level and in a file. */
export interface Service extends Environment {
  name: string
  engine: Engine
  /** Each has a rate limit of its own, 6,000 calls a minute. */
  runtimes: readonly { runtimeId: string; publicKey: string; endpoint: string }[]
  cpu(): ReturnType<typeof cpuOf>
}

export interface ServiceOptions {
  engine: Engine
  cluster: PostgresCluster | null
  endpoints: readonly string[]
  /** Base address of the model's provider. */
  modelUrl: string
  nodeArguments?: readonly string[]
}

export async function startService(context: ScenarioContext, options: ServiceOptions): Promise<Service> {
  const { engine, endpoints, modelUrl, nodeArguments = [] } = options
  const cluster = engine === 'postgres' ? options.cluster : null
  const folder = temporaryFolder(context)
  const log = join(folder, 'server.log')
  const environment = await openEnvironment(context, {
    store: cluster === null ? sqliteStoreIn(folder) : await createPostgresStore(cluster.url),
    nodeArguments,
    variables: { SVC_LOG_LEVEL: 'info', SVC_MODEL: 'openai-compatible:fake', SVC_MODEL_BASE_URL: `${modelUrl}/v1` },
    wrapper: ['sh', '-c', `exec "$0" "$@" 2>${log}`],
  }).catch((error: unknown) => {
    throw new Error(`the server did not start: ${readFileSync(log, 'utf8').slice(0, 2_000)}`, { cause: error })
  })
  const runtimes: Service['runtimes'][number][] = []
  for (const endpoint of endpoints) runtimes.push({ ...(await addRuntime(environment, endpoint, MANIFEST)), endpoint })
  return {
    ...environment,
    name: SERVICE_NAMES[engine],
    engine,
    runtimes,
    cpu: () => cpuOf(environment.server.pid, cluster),
  }
}

/** A PostgreSQL of the scenario's own where one of its engines needs it. */
export async function openCluster(context: ScenarioContext): Promise<PostgresCluster | null> {
  return context.engines.includes('postgres') ? startPostgresCluster(context, { shared_buffers: '512MB' }) : null
}

export async function countRows({ store }: Pick<Environment, 'store'>, where: string): Promise<number> {
  const [row] = await store.query(`select count(*) as found from executions where ${where}`)
  return Number(row?.['found'])
}

/** Every answer that was counted is an execution in the store. The last calls of a load are left by their caller. */
export async function judgeRows<S extends Pick<Service, 'name' | 'store'>>(
  services: readonly S[],
  answeredBy: (service: S) => number,
): Promise<Check[]> {
  const checks: Check[] = []
  for (const service of services) {
    const completed = await countRows(service, "status = 'completed'")
    const otherwise = await countRows(service, "status = 'failed' and finish_reason <> 'cancelled'")
    checks.push(
      atLeast(`completed executions stored by ${service.name}`, completed, answeredBy(service)),
      exactly(`failed executions stored by ${service.name}`, otherwise, 0),
    )
  }
  return checks
}

/** Starts a program of `./programs` that listens; it is told its task in one JSON argument. */
export function startBenchProgram(
  context: Pick<ScenarioContext, 'env' | 'onEnd'>,
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<Listener> {
  return startListener(context, [process.execPath, programFile(name), JSON.stringify(options)])
}

/** The file of a program as built, wherever this file itself runs from. */
export function programFile(name: string): string {
  return fileURLToPath(new URL(`../../dist/bench/programs/${name}/main.js`, import.meta.url))
}
