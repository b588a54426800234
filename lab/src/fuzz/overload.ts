import { availableParallelism } from 'node:os'
import { brokerPath, countAlive, saying } from '../support/environment.ts'
import { startTurns } from '../support/model-double.ts'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { at, type ProbeNotes, startProbe } from '../support/probe.ts'
import { familyCpuMs, machineCpuMs } from '../support/process-usage.ts'
import { PROCESSORS, pin, requireTools } from '../support/programs.ts'
import {
  atLeast,
  atMost,
  type Check,
  exactly,
  prefixed,
  type Scenario,
  type ScenarioContext,
} from '../support/scenario.ts'
import { quantile, rounded } from '../support/statistics.ts'
import { createPostgresStore } from '../support/store.ts'
import { type FuzzEnvironment, openFuzzEnvironment } from './fuzz-environment.ts'
import { answered, generate, type LoadNotes, type LoadTask, toLoad } from './load.ts'

const CLOSED_LOOPS = [8, 16, 32, 64]
const OVERLOAD = 5
const MOST_CONNECTIONS = 2_000
const RUNTIMES = 64
const LIVE = { method: 'GET', path: '/live' } as const
const INPUT = { query: 'red shoes' }
const MESSAGES = saying('Have you got red shoes?')

export const overload: Scenario = {
  name: 'overload',
  title: 'with 2,000 callers at once, thirty times those of the peak, the server keeps serving and refuses the rest',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    requireTools(['taskset'], context.env)
    // The endpoint, the model and the health checks live in this process.
    await pin([process.pid], PROCESSORS.rest)
    context.onEnd(() => pin([process.pid], `0-${availableParallelism() - 1}`))
    const cluster =
      context.engine === 'postgres' ? await startPostgresCluster(context, { shared_buffers: '512MB' }) : null
    const call = { toolCalls: [{ name: 'act', input: INPUT }] }
    const model = await startTurns(context, [call, call, { text: 'Yes, two pairs are left.' }])
    const environment = await openFuzzEnvironment(context, {
      wrapper: ['taskset', '-c', PROCESSORS.servers],
      variables: { ...model, SVC_OPS_PORT: '0' },
      ...(cluster !== null && { store: await createPostgresStore(cluster.url) }),
    })
    const checks: Check[] = []
    for (const [name, requests] of Object.entries(await workOf(environment))) {
      const oursMs = () => familyCpuMs(process.pid) + (cluster?.cpuMs() ?? 0)
      checks.push(
        ...prefixed(`${name}: `, judgeOverload(await runOverload(context, environment, { requests, oursMs }))),
      )
    }
    return checks
  },
}

// Through so many runtimes that the rate limit of none of them is met.
async function workOf(environment: FuzzEnvironment): Promise<Record<string, LoadTask['requests']>> {
  const runtimes = await Promise.all(Array.from({ length: RUNTIMES }, () => environment.addRuntime()))
  const execute = (accept?: string) =>
    runtimes.map(({ publicKey }) => toLoad('/v1/runtime/execute', { messages: MESSAGES }, publicKey, accept))
  return {
    broker: runtimes.map((runtime) => toLoad(brokerPath(runtime), { input: INPUT })),
    execute: execute(),
    'streamed execute': execute('text/event-stream'),
  }
}

interface Capacity {
  perSecond: number
  p99Ms: number
}

export interface OverloadRun {
  capacity: Capacity
  load: LoadNotes
  health: ProbeNotes
  alive: number
  /** The share of the processors' time that programs other than this run's took. */
  othersShare: number
}

interface Work {
  requests: LoadTask['requests']
  oursMs(): number
}

async function runOverload(
  context: ScenarioContext,
  { server }: FuzzEnvironment,
  { requests, oursMs }: Work,
): Promise<OverloadRun> {
  const { url, opsUrl } = server
  const run = (task: Pick<LoadTask, 'connections' | 'seconds' | 'perSecond'>) =>
    generate(context, { url, requests, ...task })
  await run({ connections: 32, seconds: context.count(8, 3), perSecond: null })
  const before = { ...machineCpuMs(), oursMs: oursMs() }
  let capacity: Capacity = { perSecond: 0, p99Ms: 0 }
  for (const connections of CLOSED_LOOPS) {
    const measured = capacityOf(await run({ connections, seconds: context.count(8), perSecond: null }))
    context.say(`${connections} callers: ${rounded(measured.perSecond)}/s, p99 ${rounded(measured.p99Ms)} ms`)
    if (measured.perSecond > capacity.perSecond) capacity = measured
  }
  const health = startProbe(context, { url: opsUrl ?? '', everyMs: 50, request: LIVE })
  const offered = capacity.perSecond * OVERLOAD
  const load = await run({ connections: MOST_CONNECTIONS, seconds: context.count(60, 3), perSecond: offered })
  const after = { ...machineCpuMs(), oursMs: oursMs() }
  const othersMs = after.busyMs - before.busyMs - (after.oursMs - before.oursMs)
  context.say(`answers by status: ${JSON.stringify(load.byStatus)}, broken ${load.broken}`)
  return {
    capacity,
    load,
    health: await health.stop(),
    alive: await countAlive(server),
    othersShare: Math.max(0, othersMs) / (after.totalMs - before.totalMs),
  }
}

export function capacityOf({ servedMs, seconds }: Pick<LoadNotes, 'servedMs' | 'seconds'>): Capacity {
  return { perSecond: servedMs.length / seconds, p99Ms: quantile(servedMs, 0.99) }
}

/** Against what the server can do: the work that gets done, how fast, and how the rest is refused. */
export function judgeOverload({ capacity, load, health, alive, othersShare }: OverloadRun): Check[] {
  const served = capacityOf(load)
  const refused = load.byStatus['429'] ?? 0
  const all = answered(load)
  return [
    atMost('share of the processors that other programs took', othersShare, 0.1),
    atLeast('goodput, of the peak', served.perSecond / capacity.perSecond, 0.55),
    atMost('p99 of what was served, of that at the peak', served.p99Ms / capacity.p99Ms, 4),
    atMost('p99 of /live on the operations port', at(0.99, health), 100, 'ms'),
    exactly('health checks that failed', health.failures, 0),
    atLeast('requests refused with 429', refused, 1),
    exactly('requests answered by other than 200 and 429', all - load.servedMs.length - refused, 0),
    exactly('refusals without Retry-After', load.withoutRetryAfter, 0),
    exactly('requests without an answer', load.broken, 0),
    exactly('servers alive at the end', alive, 1),
  ]
}
