import { createClient } from '../support/client.ts'
import { requireTools } from '../support/programs.ts'
import { atMost, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { median, quantile, rounded } from '../support/statistics.ts'
import { BROKER_BODY, CAPABILITY, ENDPOINT_BODY, IN_OUTPUT } from './bodies.ts'
import { startFixedAnswers } from './nginx.ts'
import { PROCESSORS, pin } from './rounds.ts'
import { countRows, openCluster, SERVICE_NAMES, startBenchProgram, startService } from './service.ts'

const TURNS = 2_000
const WARM_UPS = 300
/** Over a bare proxy: admission, the call and its settlement, each durable. */
const ALLOWED_MS = { sqlite: 2.5, postgres: 4.5 } as const
// A runtime may be called 6,000 times a minute.
const RUNTIMES = 8
const PROXY = 'bare proxy'

export const addedLatency: Scenario = {
  name: 'added-latency',
  title: 'a broker call against a bare proxy, one request at a time, in turn',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    requireTools(['nginx', 'taskset'], context.env)
    const { engine } = context
    const upstream = await startFixedAnswers(context, { '/svc': { type: 'application/json', body: ENDPOINT_BODY } })
    const proxy = await startBenchProgram(context, 'bare-proxy', { upstream: upstream.url })
    const cluster = await openCluster(context, [engine])
    const endpoints = Array.from({ length: RUNTIMES }, () => `${upstream.url}/svc`)
    const service = await startService(context, { engine, cluster, endpoints, modelUrl: upstream.url })
    await pin([proxy.pid, service.server.pid], PROCESSORS.servers)
    await pin([upstream.pid, ...(cluster?.pids() ?? [])], PROCESSORS.rest)
    const paths = service.runtimes.map(({ runtimeId }) => `/v1/capabilities/${runtimeId}/${CAPABILITY}`)
    const asks = [asking(context, proxy.url, ['/svc']), asking(context, service.server.url, paths)] as const
    const warmUps = context.count(WARM_UPS, 20)
    await askInTurn(asks, warmUps)
    const turns = context.count(TURNS, 20)
    const [bare, own] = await askInTurn(asks, turns)
    const row = (name: string, ms: readonly number[]) => [name, ...[0.5, 0.99].map((at) => rounded(quantile(ms, at)))]
    const name = SERVICE_NAMES[engine]
    context.table({ head: ['one request at a time', 'p50 ms', 'p99 ms'], rows: [row(PROXY, bare), row(name, own)] })
    return [
      atMost(`ms that ${name} adds to a call at the median`, median(own) - median(bare), ALLOWED_MS[engine]),
      exactly('completed executions stored', await countRows(service, "status = 'completed'"), warmUps + turns),
    ]
  },
}

type Ask = () => Promise<void>

/** Milliseconds of each request; who begins changes with each turn. */
async function askInTurn([one, other]: readonly [Ask, Ask], turns: number): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []]
  const timed = async (ask: Ask, into: number[]) => {
    const startedAt = performance.now()
    await ask()
    into.push(performance.now() - startedAt)
  }
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) await timed(one, times[0])
    await timed(other, times[1])
    if (turn % 2 === 1) await timed(one, times[0])
  }
  return times
}

function asking({ onEnd }: ScenarioContext, url: string, paths: readonly string[]): Ask {
  const client = createClient(url, 1)
  onEnd(() => client.close())
  let count = 0
  return async () => {
    const path = paths[count % paths.length] ?? '/'
    count += 1
    const heard = await client.send({ method: 'POST', path, text: BROKER_BODY })
    const isRight = heard.kind === 'answer' && heard.status === 200 && heard.text.includes(IN_OUTPUT)
    if (!isRight) throw new Error(`${url}${path} does not answer: ${JSON.stringify(heard)}`)
  }
}
