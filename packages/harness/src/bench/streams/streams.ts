import { startPostgresCluster } from '../../support/postgres-cluster.ts'
import { usageOf } from '../../support/process-usage.ts'
import { atLeast, type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { requireTools } from '../../support/tools.ts'
import { EXECUTE_BODY } from '../broker/bodies.ts'
import { serviceName } from '../broker/names.ts'
import { PINNED, pin, requireTwoProcessors } from '../load/pinning.ts'
import { startBenchProgram } from '../load/start-program.ts'
import { type Service, startService } from '../service/service.ts'
import { judgeStreams, type MeasuredStreams, streamsTable } from './judge.ts'
import { readTurn, type StreamSource, type StreamTurn } from './measure-streams.ts'

/** A thousand executes that stream at once, against relays of the same model's streams and the model itself. */
export const streams: Scenario = {
  name: 'streams',
  title: '1,000 executes that stream at once, against bare relays of the same streams',
  engines: [],
  tables: ['streams'],
  run: runStreams,
}

const ROUNDS = 3
const STREAMS = 1_000
const EVENTS = 50
const INTERVAL_MS = 100
// Shorter than a stream, so that there is a while in which all are open.
const RAMP_MS = 3_000

const MODEL_MARKS = { eventMark: '"delta":{"content"', endMark: 'data: [DONE]' }
const OUR_MARKS = { eventMark: 'event: text\n', endMark: '"status":"completed"' }

async function runStreams(context: ScenarioContext): Promise<readonly Check[]> {
  requireTools(['taskset'], context.env)
  requireTwoProcessors()
  const model = await startBenchProgram(context.env, 'model-stream', { events: EVENTS, intervalMs: INTERVAL_MS })
  context.onEnd(() => model.stop())
  await pin([model.pid], PINNED.rest)
  const services = await openServices(context, model.url)
  const relay = (name: string, byEvent: boolean) => openRelay(context, { name, model: model.url, byEvent })
  const sources: [StreamSource, StreamSource, StreamSource, ...StreamSource[]] = [
    { name: 'the model itself', pid: null, order: { url: model.url, ...MODEL_REQUEST, ...MODEL_MARKS } },
    await relay('relay, by bytes', false),
    await relay('relay, by event', true),
    ...services.map(sourceOf),
  ]
  const plan = { streams: context.count(STREAMS, 20), eventsEach: EVENTS }
  const [direct, byBytes, byEvent, ...ours] = await measure(context, sources, plan.streams)
  context.table(streamsTable([direct, byBytes, byEvent, ...ours], byBytes, plan))
  return [...judgeStreams(direct, byEvent, ours, plan), ...(await judgeRows(services, ours))]
}

const JSON_TYPE = { 'content-type': 'application/json' }
const MODEL_REQUEST = { path: '/v1/chat/completions', headers: JSON_TYPE, body: EXECUTE_BODY }

async function openServices(context: ScenarioContext, modelUrl: string): Promise<Service[]> {
  const services: Service[] = []
  for (const engine of context.engines) {
    const cluster = engine === 'postgres' ? await startPostgresCluster({ shared_buffers: '512MB' }) : null
    if (cluster) context.onEnd(() => cluster.remove())
    const { serverFolder } = context
    const endpoints = ['http://127.0.0.1:9/never-called']
    const service = await startService(context, { engine, cluster, serverFolder, endpoints, modelUrl })
    await pin([service.server.pid], PINNED.servers)
    if (cluster) await pin(cluster.pids(), PINNED.rest)
    services.push(service)
  }
  return services
}

async function openRelay(
  context: ScenarioContext,
  { name, model, byEvent }: { name: string; model: string; byEvent: boolean },
): Promise<StreamSource> {
  const { url, pid, stop } = await startBenchProgram(context.env, 'stream-relay', { upstream: model, byEvent })
  context.onEnd(stop)
  await pin([pid], PINNED.servers)
  return { name, pid, order: { url, ...MODEL_REQUEST, ...(byEvent ? OUR_MARKS : MODEL_MARKS) } }
}

/** Executes that stream, by the page’s key of a service’s first runtime. */
export function sourceOf(service: Service): StreamSource {
  const [runtime] = service.runtimes
  const headers = { ...JSON_TYPE, accept: 'text/event-stream', authorization: `Bearer ${runtime?.publicKey}` }
  const order = { url: service.server.url, path: '/v1/runtime/execute', headers, body: EXECUTE_BODY, ...OUR_MARKS }
  return { name: serviceName(service.engine), pid: service.server.pid, order }
}

type Sources = readonly [StreamSource, StreamSource, StreamSource, ...StreamSource[]]
type MeasuredSources = [MeasuredStreams, MeasuredStreams, MeasuredStreams, ...MeasuredStreams[]]

async function measure(context: ScenarioContext, sources: Sources, streamCount: number): Promise<MeasuredSources> {
  const idle = new Map(sources.map(({ name, pid }) => [name, pid === null ? 0 : usageOf(pid).residentBytes]))
  const turns = new Map<string, StreamTurn[]>(sources.map(({ name }) => [name, []]))
  const read = (source: StreamSource, count: number) =>
    readTurn(context.env, source, { streams: count, rampMs: RAMP_MS, processors: PINNED.rest })
  const warmUps = context.count(WARM_UPS, 5)
  for (const source of sources) await read(source, warmUps)
  for (let round = 0; round < context.count(ROUNDS); round += 1) {
    context.say(`round ${round + 1}: ${streamCount} streams from each of ${sources.length}`)
    for (const source of sources) turns.get(source.name)?.push(await read(source, streamCount))
  }
  const measured = ({ name }: StreamSource): MeasuredStreams => {
    const [first, ...others] = turns.get(name) ?? []
    if (first === undefined) throw new Error(`${name} was not measured`)
    return { name, idleResidentBytes: idle.get(name) ?? 0, turns: [first, ...others] }
  }
  const [direct, byBytes, byEvent, ...others] = sources
  return [measured(direct), measured(byBytes), measured(byEvent), ...others.map(measured)]
}

const WARM_UPS = 200

/** Each stream that was read is an execution that was charged, run and settled. */
async function judgeRows(services: readonly Service[], measured: readonly MeasuredStreams[]): Promise<Check[]> {
  const checks: Check[] = []
  for (const { engine, store } of services) {
    const name = serviceName(engine)
    const read = measured.find((source) => source.name === name)?.turns.flatMap((turn) => turn.streams).length ?? 0
    const [row] = await store.query(`select count(*) as found from executions where status = 'completed'`)
    const [others] = await store.query(`select count(*) as found from executions where status <> 'completed'`)
    checks.push(
      atLeast(`${name}, completed executions stored`, Number(row?.['found']), read),
      exactly(`${name}, executions stored otherwise than completed`, Number(others?.['found']), 0),
    )
  }
  return checks
}
