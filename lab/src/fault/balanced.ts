import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isOk, openServingEnvironment, startWatched } from '../support/environment.ts'
import { freePort, requireTools, startListener, temporaryFolder } from '../support/programs.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import type { ServerProcess } from '../support/server.ts'
import { until } from '../support/within.ts'

/** Where replicas listen, on the same ports. */
const HOSTS = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const
const CONFIG = fileURLToPath(new URL('../../../deploy/haproxy.cfg', import.meta.url))
const READY_MS = 60_000

interface ReplicaOptions {
  endpoint: string
  variables: Readonly<Record<string, string>>
  /** Each replica knows an address at which the others reach it. */
  areKnown?: boolean
}

/** Three replicas on one database. `start` starts another in the place of an ended one, and waits as an orchestrator does. */
export async function openReplicas(context: ScenarioContext, { endpoint, variables, areKnown }: ReplicaOptions) {
  const [port, opsPort] = [await freePort(), await freePort()]
  const variablesAt = (host: string) => ({
    ...variables,
    ...{ HOST: host, SVC_OPS_HOST: host, PORT: String(port), SVC_OPS_PORT: String(opsPort) },
    ...(areKnown && { SVC_NODE_URL: `http://${host}:${port}` }),
  })
  const [first, ...others] = HOSTS
  const environment = await openServingEnvironment(context, { endpoint, variables: variablesAt(first) })
  const start = async (host: string) => {
    const options = { ...environment.options, variables: { ...environment.options.variables, ...variablesAt(host) } }
    const server = await startWatched(context, options)
    await until(() => isOk(`${server.opsUrl}/ready`), READY_MS, 100)
    return { host, server }
  }
  const replicas: { host: string; server: ServerProcess }[] = [{ host: first, server: environment.server }]
  for (const host of others) replicas.push(await start(host))
  return { environment, replicas, start, balance: () => startBalancer(context, port, opsPort) }
}

/** Starts HAProxy with the file of the composition, but for where things are. Returns its address once it is of use. */
async function startBalancer(context: ScenarioContext, port: number, opsPort: number): Promise<string> {
  requireTools(['haproxy'], context.env)
  const publicPort = await freePort()
  const servers = HOSTS.map((host, index) => `server svc${index} ${host}:${port}`).join('\n    ')
  const config = readFileSync(CONFIG, 'utf8')
    .replace('bind :8787', `bind 127.0.0.1:${publicPort}`)
    .replace('check port 9464', `check port ${opsPort}`)
    .replace(' resolvers inner init-addr none', '')
    .replace('server-template svc 10 svc:8787', servers)
  const file = join(temporaryFolder(context), 'haproxy.cfg')
  writeFileSync(file, config)
  const { url } = await startListener(context, ['haproxy', '-db', '-f', file], { port: publicPort })
  await until(() => isOk(`${url}/health`), READY_MS, 100)
  return url
}
