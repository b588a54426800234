import { createClient } from '../support/client.ts'
import { functionsEntered } from '../support/inspector.ts'
import type { PostgresCluster } from '../support/postgres-cluster.ts'
import { freePort, type Listener, PROCESSORS, pin, requireTools } from '../support/programs.ts'
import { atMost, type Check, type Engine, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import {
  BROKER_BODY,
  CHAT_BODY,
  ENDPOINT_BODY,
  EXECUTE_BODY,
  IN_ANSWER,
  IN_OUTPUT,
  MODEL_ANSWER,
  MODEL_STREAM,
} from './bodies.ts'
import { brokerCall, type Contender, JSON_TYPE, measure, serviceContender } from './contenders.ts'
import { startFixedAnswers } from './nginx.ts'
import { peerHeaders, startPeer } from './portkey.ts'
import {
  answeredIn,
  callsPerSecond,
  cpuMicroseconds,
  cpuOf,
  type Measured,
  medianAtLeast,
  medianAtMost,
  noneFailed,
  p50Ms,
  ratioOf,
  type Spread,
  slotsOf,
  spreadOf,
} from './rounds.ts'
import { judgeRows, openCluster, type Service, startBenchProgram, startService } from './service.ts'

const SLOW_MS = 20
const ENDPOINT_PATH = '/svc'
/** Where the upstream gives a gateway its answer in one body; everything else of its model is a stream. */
const WHOLE_PREFIX = '/whole'
const PROXY = 'bare proxy'
const AGAIN = 'bare proxy, again'
const PEER = 'peer gateway'
/** Over a bare proxy: admission, the call and its settlement, each durable. */
const ADDED_MS = { sqlite: 2.5, postgres: 4.5 } as const

export const broker: Scenario = {
  name: 'broker',
  title: 'broker calls and executes against a bare proxy and a peer gateway, in turn',
  engines: [],
  async run(context) {
    requireTools(['wrk', 'nginx', 'taskset'], context.env)
    const field = await openField(context)
    const { services, upstream, slowUpstream, proxies } = field
    const at = (url: string) => services.map((service) => brokerContender(service, url))
    const single = [proxyContender(PROXY, proxies.proxy), ...at(upstream.url)]
    const fast = [...single, proxyContender(AGAIN, proxies.proxyAgain)]
    const calls = await measure(context, fast, IN_OUTPUT, { seconds: 5, base: PROXY })
    const alone = await measure(context, single, IN_OUTPUT, { seconds: 3, base: PROXY, connections: 1 })
    const slowly = [proxyContender(PROXY, proxies.slowProxy), ...at(slowUpstream.url)]
    const slow = await measure(context, slowly, IN_OUTPUT, { seconds: 4, base: PROXY })
    const peer = await startPeer(context)
    await pin([peer.pid], PROCESSORS.servers)
    const executes = [peerContender(peer, upstream.url), ...services.map(executeContender)]
    const execute = await measure(context, executes, IN_ANSWER, { seconds: 5, base: PEER })
    return [
      ...judge({ calls, alone, slow, execute }, services),
      ...(await judgeEntered(context, field)),
      ...(await judgeRows(services, ({ name }) => answeredIn([calls, alone, slow, execute], name))),
    ]
  },
}

interface Field {
  upstream: Listener
  cluster: PostgresCluster | null
  services: readonly Service[]
}

/** Everything that the rounds are run against, started and in its place. Each runtime may be called 6,000 times a minute. */
async function openField(context: ScenarioContext) {
  const upstream = await startFixedAnswers(context, {
    [ENDPOINT_PATH]: { type: 'application/json', body: ENDPOINT_BODY },
    '/v1/chat/completions': { type: 'text/event-stream', body: MODEL_STREAM },
    [`${WHOLE_PREFIX}/v1/chat/completions`]: { type: 'application/json', body: MODEL_ANSWER },
  })
  const slowly = { delayMs: SLOW_MS, type: 'application/json', body: ENDPOINT_BODY }
  const slowUpstream = await startBenchProgram(context, 'slow-upstream', slowly)
  const proxyTo = (url: string) => startBenchProgram(context, 'bare-proxy', { upstream: url })
  const proxies = {
    proxy: await proxyTo(upstream.url),
    proxyAgain: await proxyTo(upstream.url),
    slowProxy: await proxyTo(slowUpstream.url),
  }
  const cluster = await openCluster(context)
  const fast = Array.from({ length: context.count(100, 4) }, () => `${upstream.url}${ENDPOINT_PATH}`)
  const endpoints = [...fast, ...Array.from({ length: context.count(25, 2) }, () => slowUpstream.url)]
  const services: Service[] = []
  for (const engine of context.engines)
    services.push(await startService(context, { engine, cluster, endpoints, modelUrl: upstream.url }))
  const servers = [...Object.values(proxies), ...services.map(({ server }) => server)]
  await pin(
    servers.map(({ pid }) => pid),
    PROCESSORS.servers,
  )
  await pin([upstream.pid, slowUpstream.pid, ...(cluster?.pids() ?? [])], PROCESSORS.rest)
  return { upstream, slowUpstream, proxies, cluster, services }
}

function proxyContender(name: string, { url, pid }: Listener): Contender {
  const request = { path: ENDPOINT_PATH, headers: JSON_TYPE, body: BROKER_BODY }
  return { name, url, requests: [request], cpu: () => cpuOf(pid) }
}

/** Anonymous calls, over all runtimes whose endpoint begins so. */
function brokerContender(service: Service, endpointUrl: string): Contender {
  const runtimes = service.runtimes.filter(({ endpoint }) => endpoint.startsWith(endpointUrl))
  return serviceContender(service, brokerCall, { runtimes })
}

/** Executes of one step: the model answers in words and asks for nothing. */
function executeContender(service: Service): Contender {
  return serviceContender(service, ({ publicKey }) => ({
    path: '/v1/runtime/execute',
    headers: { ...JSON_TYPE, authorization: `Bearer ${publicKey}` },
    body: EXECUTE_BODY,
  }))
}

// In one body: this version of the peer answers a request for a stream with 500 on Node 20.
function peerContender({ url, pid }: Listener, upstreamUrl: string): Contender {
  const headers = peerHeaders(`${upstreamUrl}${WHOLE_PREFIX}`)
  const request = { path: '/v1/chat/completions', headers, body: CHAT_BODY }
  return { name: PEER, url, requests: [request], cpu: () => cpuOf(pid) }
}

function judge(
  { calls, alone, slow, execute }: Record<'calls' | 'alone' | 'slow' | 'execute', Measured>,
  services: readonly Pick<Service, 'name' | 'engine'>[],
): Check[] {
  const itself = ratioOf(calls, [AGAIN, PROXY], callsPerSecond)
  return [
    // Where a thing differs more from itself, the machine is too restless to say anything.
    medianAtLeast('the proxy against itself, calls/s', itself, 0.8),
    medianAtMost('the proxy against itself, calls/s', itself, 1.25),
    ...services.flatMap(({ name, engine }) => [
      medianAtLeast(`${name}, calls/s over the proxy’s`, ratioOf(calls, [name, PROXY], callsPerSecond), 0.3),
      medianAtMost(`${name}, CPU per call over the proxy’s`, ratioOf(calls, [name, PROXY], cpuMicroseconds), 3.3),
      medianAtMost(`${name}, ms added to one call at the median`, addedMs(alone, name), ADDED_MS[engine]),
      medianAtMost(`${name}, p50 over the proxy’s, 20 ms`, ratioOf(slow, [name, PROXY], p50Ms), 1.25),
      medianAtLeast(`execute of ${name} over the peer’s calls/s`, ratioOf(execute, [name, PEER], callsPerSecond), 5),
    ]),
    noneFailed('calls that failed', calls, [...calls.keys()]),
    noneFailed('calls that failed, 20 ms', slow, [...slow.keys()]),
    noneFailed(
      'executes that failed',
      execute,
      services.map(({ name }) => name),
    ),
  ]
}

function addedMs(measured: Measured, name: string): Spread {
  const bare = slotsOf(measured, PROXY).map(p50Ms)
  return spreadOf(slotsOf(measured, name).map((slot, round) => p50Ms(slot) - (bare[round] ?? Number.NaN)))
}

const MOST_FUNCTIONS = 160

async function judgeEntered(context: ScenarioContext, field: Field): Promise<Check[]> {
  const checks: Check[] = []
  for (const { engine, name } of field.services) {
    const entered = await countEntered(context, field, engine)
    checks.push(atMost(`${name}, own functions entered by a warm call`, entered, MOST_FUNCTIONS))
  }
  return checks
}

/** How many functions of this project a warm call enters on the main thread, of a server that is inspected for it. */
async function countEntered(
  context: ScenarioContext,
  { upstream, cluster }: Omit<Field, 'services'>,
  engine: Engine,
): Promise<number> {
  const port = await freePort()
  const endpoints = [`${upstream.url}${ENDPOINT_PATH}`]
  const nodeArguments = [`--inspect=127.0.0.1:${port}`]
  // The bundle holds libraries, too: own functions are known by the files that the compiler makes beside it.
  const unbundled = { ...context, serverFolder: context.serverFolder.replace(/bundle\/?$/, '') }
  const service = await startService(unbundled, { engine, cluster, endpoints, modelUrl: upstream.url, nodeArguments })
  const [{ path, headers, body }] = brokerContender(service, upstream.url).requests
  const client = createClient(service.server.url, 1)
  const work = async () => {
    const { status, text } = await client.send({ path, headers, text: body })
    if (status !== 200) throw new Error(`a call was answered with ${status}: ${text}`)
  }
  for (let call = 0; call < 200; call += 1) await work()
  const entered = await functionsEntered(port, (url) => /\/packages\/[^/]+\/dist\//.test(url), { work, times: 100 })
  service.server.kill()
  return entered
}
