import { startProgram } from '@svc/testkit'
import { usageOf } from '../support/process-usage.ts'
import { PROCESSORS, pin, requireTools } from '../support/programs.ts'
import { atMost, type Check, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { quantile, rounded, sum } from '../support/statistics.ts'
import { EXECUTE_BODY } from './bodies.ts'
import { JSON_TYPE } from './contenders.ts'
import { medianAtMost, showSpread, spreadOf } from './rounds.ts'
import { judgeRows, openCluster, programFile, type Service, startBenchProgram, startService } from './service.ts'

const ROUNDS = 3
const STREAMS = 1_000
const EVENTS = 50
const INTERVAL_MS = 100
// Shorter than a stream, so that there is a while in which all are open.
const RAMP_MS = 3_000
const WARM_UPS = 200
const SAMPLE_MS = 200
const CPU_RATIO = 1.6
const MEMORY_RATIO = 1.3
const MODEL_MARKS = { eventMark: '"delta":{"content"', endMark: 'data: [DONE]' }
const OUR_MARKS = { eventMark: 'event: text\n', endMark: '"status":"completed"' }
const MODEL_REQUEST = { path: '/v1/chat/completions', headers: JSON_TYPE, body: EXECUTE_BODY }

export const streams: Scenario = {
  name: 'streams',
  title: '1,000 executes that stream at once, against a bare relay of the same streams',
  engines: [],
  async run(context) {
    requireTools(['taskset'], context.env)
    const model = await startBenchProgram(context, 'model-stream', { events: EVENTS, intervalMs: INTERVAL_MS })
    await pin([model.pid], PROCESSORS.rest)
    const relay = await startBenchProgram(context, 'stream-relay', { upstream: model.url })
    await pin([relay.pid], PROCESSORS.servers)
    const services = await openServices(context, model.url)
    const count = context.count(STREAMS, 20)
    const sources: StreamSource[] = [
      { name: 'the model itself', pid: null, order: { url: model.url, ...MODEL_REQUEST, ...MODEL_MARKS } },
      { name: 'relay by event', pid: relay.pid, order: { url: relay.url, ...MODEL_REQUEST, ...OUR_MARKS } },
      ...services.map(sourceOf),
    ]
    const [direct, relayed, ...own] = await measure(context, sources, count)
    if (direct === undefined || relayed === undefined) throw new Error('nothing was measured')
    context.table(tableOf([direct, relayed, ...own], relayed, count))
    return [
      ...own.flatMap((measured) => judge(measured, { direct, relayed, count })),
      ...(await judgeRows(services, ({ name }) => own.find((source) => source.name === name)?.seen.length ?? 0)),
    ]
  },
}

async function openServices(context: ScenarioContext, modelUrl: string): Promise<Service[]> {
  const cluster = await openCluster(context)
  if (cluster) await pin(cluster.pids(), PROCESSORS.rest)
  const services: Service[] = []
  for (const engine of context.engines) {
    const endpoints = ['http://127.0.0.1:9/never-called']
    const service = await startService(context, { engine, cluster, endpoints, modelUrl })
    await pin([service.server.pid], PROCESSORS.servers)
    services.push(service)
  }
  return services
}

/** What the client of many streams is to do. */
export interface StreamOrder {
  url: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string
  streams: number
  /** Over how long they are opened. */
  rampMs: number
  /** A text that each event holds once, and one of the last event alone. */
  eventMark: string
  endMark: string
}

/** One stream. Times are milliseconds; the first event counts from the request. */
export interface SeenStream {
  status: number
  events: number
  firstEventMs: number | null
  longestGapMs: number
  /** It ended with its last event, and in good order. */
  isComplete: boolean
}

interface StreamSource {
  name: string
  /** The process that is measured; null for the model itself. */
  pid: number | null
  order: Omit<StreamOrder, 'streams' | 'rampMs'>
}

/** Executes that stream, by the page’s key of a service’s first runtime. */
function sourceOf({ name, server, runtimes: [runtime] }: Service): StreamSource {
  const headers = { ...JSON_TYPE, accept: 'text/event-stream', authorization: `Bearer ${runtime?.publicKey}` }
  const order = { url: server.url, path: '/v1/runtime/execute', headers, body: EXECUTE_BODY, ...OUR_MARKS }
  return { name, pid: server.pid, order }
}

/** Lets the client's program read that many streams, and samples the process that they come from. */
async function readTurn(env: NodeJS.ProcessEnv, { pid, order }: StreamSource, count: number) {
  const usage = () => (pid === null ? { cpuMs: 0, residentBytes: 0 } : usageOf(pid))
  const before = usage()
  const samples = [before.residentBytes]
  const sampling = setInterval(() => void samples.push(usage().residentBytes), SAMPLE_MS)
  const task = JSON.stringify({ ...order, streams: count, rampMs: RAMP_MS })
  const command = [process.execPath, programFile('stream-client'), task]
  const end = await startProgram('taskset', ['-c', PROCESSORS.rest, ...command], { env }).ended
  clearInterval(sampling)
  if (end.code !== 0) throw new Error(`the client of the streams ended with ${end.code}: ${end.stderr}`)
  const { streams: seen, peakOpen }: { streams: SeenStream[]; peakOpen: number } = JSON.parse(end.stdout)
  return { seen, peakOpen, cpuMs: usage().cpuMs - before.cpuMs, samples }
}

type Turn = Awaited<ReturnType<typeof readTurn>>

/** All turns of one source. */
interface MeasuredStreams {
  name: string
  isModel: boolean
  turns: readonly Turn[]
  seen: readonly SeenStream[]
  refused: number
  /** Not complete, and not refused. */
  broken: number
  longestGapMs: number
}

async function measure(
  context: ScenarioContext,
  sources: readonly StreamSource[],
  count: number,
): Promise<MeasuredStreams[]> {
  const turns = sources.map((): Turn[] => [])
  for (const source of sources) await readTurn(context.env, source, context.count(WARM_UPS, 5))
  for (let round = 0; round < context.count(ROUNDS); round += 1) {
    for (const [index, source] of sources.entries()) turns[index]?.push(await readTurn(context.env, source, count))
  }
  return sources.map((source, index) => summaryOf(source, turns[index] ?? []))
}

function summaryOf({ name, pid }: StreamSource, turns: readonly Turn[]): MeasuredStreams {
  const seen = turns.flatMap((turn) => turn.seen)
  const begun = seen.filter(({ status }) => status !== 429)
  const complete = begun.filter(({ isComplete, events }) => isComplete && events === EVENTS)
  return {
    name,
    isModel: pid === null,
    turns,
    seen,
    refused: seen.length - begun.length,
    broken: begun.length - complete.length,
    longestGapMs: Math.max(...seen.map((stream) => stream.longestGapMs)),
  }
}

interface Against {
  direct: MeasuredStreams
  relayed: MeasuredStreams
  count: number
}

/** All streams complete and open at once, and the cost of each. */
function judge(service: MeasuredStreams, { direct, relayed, count }: Against): Check[] {
  const { name, turns } = service
  const addedMs = spreadOf(
    turns.map((turn, round) => firstEventMs(turn, 0.5) - firstEventMs(direct.turns[round] ?? turn, 0.5)),
  )
  return [
    // A late event loop refuses new executions; a stream that has begun may never break off.
    exactly(`${name}, streams refused (429)`, service.refused, 0),
    exactly(`${name}, streams not complete otherwise`, service.broken, 0),
    exactly(`${name}, streams open at once`, Math.min(...turns.map(({ peakOpen }) => peakOpen)), count),
    medianAtMost(`${name}, ms added to the first event at the median`, addedMs, 5),
    atMost(`${name}, longest gap between two events`, service.longestGapMs, 1_000, 'ms'),
    medianAtMost(`${name}, CPU per event over the relay’s`, cpuRatio(service, relayed), CPU_RATIO),
    atMost(
      `${name}, memory per stream over the relay’s`,
      bytesPerStream(service, count) / bytesPerStream(relayed, count),
      MEMORY_RATIO,
    ),
  ]
}

function firstEventMs({ seen }: Turn, share: number): number {
  const times = seen.flatMap(({ firstEventMs: ms }) => (ms === null ? [] : [ms]))
  return quantile(times, share)
}

function cpuMicroseconds({ cpuMs, seen }: Turn): number {
  return (cpuMs * 1000) / sum(seen.map(({ events }) => events))
}

function cpuRatio(of: MeasuredStreams, to: MeasuredStreams) {
  const others = to.turns.map(cpuMicroseconds)
  return spreadOf(of.turns.map((turn, round) => cpuMicroseconds(turn) / (others[round] ?? Number.NaN)))
}

// A process gives back what its start took, so the least it ever held counts. Without any growth nothing can be said.
function bytesPerStream({ turns }: MeasuredStreams, count: number): number {
  const samples = turns.flatMap((turn) => turn.samples)
  const grown = Math.max(...samples) - Math.min(...samples)
  return grown > 0 ? grown / count : Number.NaN
}

function tableOf(measured: readonly MeasuredStreams[], relayed: MeasuredStreams, count: number) {
  const times = ['first event ms, p50', 'p99', 'longest gap ms']
  const rows = measured.map((source) => {
    const first = (share: number) => rounded(spreadOf(source.turns.map((turn) => firstEventMs(turn, share))).median)
    const cost = [
      rounded(spreadOf(source.turns.map(cpuMicroseconds)).median),
      showSpread(cpuRatio(source, relayed)),
      rounded(bytesPerStream(source, count) / 1024),
    ]
    return [
      source.name,
      ...[source.seen.length, source.refused, source.broken].map(String),
      first(0.5),
      first(0.99),
      rounded(source.longestGapMs),
      ...(source.isModel ? cost.map(() => '–') : cost),
    ]
  })
  const counts = ['streams', 'refused', 'broken']
  return { head: ['', ...counts, ...times, 'CPU µs an event', 'ratio to the relay', 'KiB a stream'], rows }
}
