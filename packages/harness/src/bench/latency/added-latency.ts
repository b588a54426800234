import { type Client, createClient } from '../../support/client.ts'
import type { Table } from '../../support/markdown-table.ts'
import { startPostgresCluster } from '../../support/postgres-cluster.ts'
import { atMost, type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { quantile, rounded } from '../../support/statistics.ts'
import { requireTools } from '../../support/tools.ts'
import { BROKER_BODY, ENDPOINT_BODY, IN_OUTPUT } from '../broker/bodies.ts'
import { NAMES, serviceName, withoutWrites } from '../broker/names.ts'
import { startFixedAnswers } from '../load/nginx.ts'
import { PINNED, pin, requireTwoProcessors } from '../load/pinning.ts'
import { startBenchProgram } from '../load/start-program.ts'
import { copyWithoutWrites } from '../service/altered.ts'
import { CAPABILITY, type Service, startService } from '../service/service.ts'
import { type Asked, addedAtTheMedian, askInTurn, type Latencies } from './turns.ts'

/** What admission and settlement add to a call when there is one call at a time. */
export const addedLatency: Scenario = {
  name: 'added-latency',
  title: 'a broker call with and without its writes, one request at a time, in turn',
  engines: ['sqlite', 'postgres'],
  tables: ['sqlite', 'postgres'],
  run: runAddedLatency,
}

const TURNS = 2_000
const ALLOWED_MS = { sqlite: 2, postgres: 4 } as const
const NOISE_MS = 0.3
// A runtime may be called 6,000 times a minute.
const RUNTIMES = 8

async function runAddedLatency(context: ScenarioContext): Promise<readonly Check[]> {
  requireTools(['nginx', 'taskset'], context.env)
  requireTwoProcessors()
  const upstream = await startFixedAnswers(context.env, { '/svc': { type: 'application/json', body: ENDPOINT_BODY } })
  context.onEnd(() => upstream.stop())
  const proxy = await startBenchProgram(context.env, 'bare-proxy', { upstream: upstream.url, sign: false })
  context.onEnd(() => proxy.stop())
  const { durable, copy, place } = await openPair(context, upstream.url)
  await pin([proxy.pid], PINNED.servers)
  await pin([upstream.pid], PINNED.rest)
  await place()
  const name = serviceName(context.engine)
  const asked: Asked[] = [
    { name: NAMES.proxy, ask: asking(context, proxy.url, ['/svc']) },
    { name: withoutWrites(name), ask: asking(context, copy.server.url, pathsOf(copy)) },
    { name: AGAIN, ask: asking(context, copy.server.url, pathsOf(copy)) },
    { name, ask: asking(context, durable.server.url, pathsOf(durable)) },
  ]
  const warmUps = context.count(WARM_UPS, 20)
  await askInTurn(asked, warmUps)
  const turns = context.count(TURNS, 20)
  const latencies = await askInTurn(asked, turns)
  context.table(latencyTable(context.engine, latencies, withoutWrites(name)))
  return [
    atMost('ms added at the median by the copy to itself, either way', noiseOf(latencies, name), NOISE_MS),
    atMost(
      `ms that admission and settlement add at the median, ${name}`,
      addedAtTheMedian(latencies, name, withoutWrites(name)),
      ALLOWED_MS[context.engine],
    ),
    exactly('completed executions stored', await countCompleted(durable), warmUps + turns),
    exactly('executions stored by the copy that writes nothing', await countCompleted(copy), 0),
  ]
}

const WARM_UPS = 300
const AGAIN = 'the same, again'

async function openPair(context: ScenarioContext, upstreamUrl: string) {
  const { engine, serverFolder } = context
  const cluster = engine === 'postgres' ? await startPostgresCluster({ shared_buffers: '512MB' }) : null
  if (cluster) context.onEnd(() => cluster.remove())
  const endpoints = Array.from({ length: RUNTIMES }, () => `${upstreamUrl}/svc`)
  const open = (folder: string) =>
    startService(context, { engine, cluster, serverFolder: folder, endpoints, modelUrl: upstreamUrl })
  const durable = await open(serverFolder)
  const copy = await open(copyWithoutWrites(context))
  const place = async () => {
    await pin([durable.server.pid, copy.server.pid], PINNED.servers)
    if (cluster) await pin(cluster.pids(), PINNED.rest)
  }
  return { durable, copy, place }
}

function pathsOf({ runtimes }: Service): string[] {
  return runtimes.map(({ runtimeId }) => `/v1/capabilities/${runtimeId}/${CAPABILITY}`)
}

function asking(context: ScenarioContext, url: string, paths: readonly string[]): () => Promise<void> {
  const client: Client = createClient(url, 1)
  context.onEnd(() => client.close())
  const body: unknown = JSON.parse(BROKER_BODY)
  let count = 0
  return async () => {
    const path = paths[count % paths.length] ?? '/'
    count += 1
    const heard = await client.send({ method: 'POST', path, body })
    const isRight = heard.kind === 'answer' && heard.status === 200 && heard.text.includes(IN_OUTPUT)
    if (!isRight) throw new Error(`${url}${path} does not answer: ${JSON.stringify(heard)}`)
  }
}

function noiseOf(latencies: Latencies, name: string): number {
  return Math.abs(addedAtTheMedian(latencies, AGAIN, withoutWrites(name)))
}

function latencyTable(name: string, latencies: Latencies, base: string): Table {
  const rows = [...latencies].map(([asked, values]) => [
    asked,
    rounded(quantile(values, 0.5)),
    rounded(quantile(values, 0.99)),
    rounded(addedAtTheMedian(latencies, asked, base)),
  ])
  return { name, head: ['one request at a time', 'p50 ms', 'p99 ms', 'p50 over the copy’s'], rows }
}

async function countCompleted({ store }: Service): Promise<number> {
  const [row] = await store.query(`select count(*) as found from executions where status = 'completed'`)
  return Number(row?.['found'])
}
