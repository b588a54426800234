import type { CreatedRuntime } from '@svc/contract'
import { freePort } from '../support/programs.ts'
import {
  atLeast,
  atMost,
  type Check,
  counted,
  exactly,
  type Scenario,
  type ScenarioContext,
  withFindings,
} from '../support/scenario.ts'
import { endedWithin } from '../support/server.ts'
import { sum } from '../support/statistics.ts'
import type { Store } from '../support/store.ts'
import { until } from '../support/within.ts'
import { openCalledWorld, startWatched } from '../support/world.ts'
import { HOSTS, isOk, startBalancer } from './balancer.ts'
import {
  createExecuteCallers,
  type HeardExecution,
  playSlowly,
  speakTurn,
  startCallCounter,
  startModelDouble,
} from './doubles.ts'
import { readExecutions, runningAfter } from './rows.ts'

const ROUNDS = 10
const PER_SECOND = 50
/** Twice the time in which the balancer notices that a replica drains. */
const DRAIN_DELAY_MS = 2_000
const STOP_MS = 60_000
const READY_MS = 60_000

const USAGE = { inputTokens: 50, outputTokens: 20 }
const SPOKEN = speakTurn({ text: ['One ', 'two ', 'three ', 'four.'] }, USAGE)
const ASKED = speakTurn({ text: ['Let me see.'], toolCalls: [{ name: 'act' }] }, USAGE)

interface Stop {
  openStreams: number
  code: number | null
  tookMs: number
}

export const rollingRestarts: Scenario = {
  name: 'rolling-restarts',
  title: 'Three replicas behind a balancer are restarted in turn under 50 calls a second: no call fails',
  engines: ['postgres'],
  async run(context) {
    const random = context.random.fork()
    const model = await startModelDouble(context, (_, index) =>
      playSlowly(index === 0 && random.chance(0.5) ? ASKED : SPOKEN, random.int(50, 250)),
    )
    const endpoint = await startCallCounter(context, { afterMs: 150 })
    const place = { port: await freePort(), opsPort: await freePort() }
    const variablesAt = (host: string) => ({
      ...model.serverEnv,
      HOST: host,
      SVC_OPS_HOST: host,
      PORT: String(place.port),
      SVC_OPS_PORT: String(place.opsPort),
      SVC_DRAIN_DELAY_MS: String(DRAIN_DELAY_MS),
      SVC_LIMIT_ENDPOINT_CALLS: '200',
    })
    const [firstHost, ...otherHosts] = HOSTS
    const world = await openCalledWorld(context, { endpoint: endpoint.url, variables: variablesAt(firstHost) })
    const start = async (host: string) => {
      const variables = { ...world.options.variables, ...variablesAt(host) }
      const server = await startWatched(context, { ...world.options, variables })
      // As an orchestrator asks, before it goes on to the next one.
      await until(() => isOk(`${server.opsUrl}/ready`), READY_MS, 100)
      return { host, server }
    }
    const replicas = [{ host: firstHost as string, server: world.server }]
    for (const host of otherHosts) replicas.push(await start(host))
    const url = await startBalancer(context, place)
    const load = startLoad(context, url, world.runtimes)
    const stops: Stop[] = []
    for (let restart = 0; restart < context.count(ROUNDS) * HOSTS.length; restart += 1) {
      const replica = replicas.shift()
      if (!replica) throw new Error('there is no replica')
      await until(async () => load.openStreams() >= PER_SECOND / 5, READY_MS, 100)
      const openStreams = load.openStreams()
      replica.server.kill('SIGTERM')
      const { end, tookMs } = await endedWithin(replica.server, STOP_MS)
      stops.push({ openStreams, code: end.code, tookMs })
      replicas.push(await start(replica.host))
    }
    return judgeRestarts(world.store, stops, await load.stop())
  },
}

type SteadyCall = HeardExecution & { isStream: boolean; tag: string }

/** Begins so many calls a second, however long earlier ones take: streams of execute, and calls of strangers. */
function startLoad(context: ScenarioContext, url: string, runtimes: readonly [CreatedRuntime, ...CreatedRuntime[]]) {
  const execute = createExecuteCallers(context, url)
  const calls: Promise<SteadyCall>[] = []
  let openStreams = 0
  const perform = async (index: number): Promise<SteadyCall> => {
    const { runtimeId, publicKey } = runtimes[index % runtimes.length] ?? runtimes[0]
    const tag = `r${index}`
    const isStream = Math.floor(index / runtimes.length) % 2 === 0
    const atBroker = { path: `/v1/capabilities/${runtimeId}/act`, body: { input: {}, metadata: { tag } } }
    openStreams += isStream ? 1 : 0
    const heard = await execute({ tag, isStream, ...(isStream ? { key: publicKey } : atBroker) })
    openStreams -= isStream ? 1 : 0
    return { isStream, tag, ...heard }
  }
  const startedAt = performance.now()
  const elapsedS = () => (performance.now() - startedAt) / 1000
  const timer = setInterval(() => {
    while (calls.length < elapsedS() * PER_SECOND) calls.push(perform(calls.length))
  }, 10)
  context.onEnd(() => clearInterval(timer))
  return {
    openStreams: () => openStreams,
    async stop() {
      clearInterval(timer)
      const perSecond = calls.length / elapsedS()
      return { perSecond, calls: await Promise.all(calls) }
    },
  }
}

async function judgeRestarts(
  store: Store,
  stops: readonly Stop[],
  { perSecond, calls }: { perSecond: number; calls: readonly SteadyCall[] },
): Promise<Check[]> {
  const running = await runningAfter(store, 10_000)
  const stored = new Map((await readExecutions(store)).map(({ tag, status }) => [tag, status]))
  const failures = calls.map(failureOf).filter((failure) => failure !== null)
  const longestMs = Math.max(...stops.map(({ tookMs }) => tookMs))
  return [
    counted('restarts', stops.length),
    counted('calls', calls.length),
    atLeast('calls begun a second', perSecond, PER_SECOND * 0.95),
    counted('streams under way when a replica was told to stop', sum(stops.map(({ openStreams }) => openStreams))),
    withFindings(exactly('calls that failed', failures.length, 0), [...new Set(failures)]),
    exactly('streams without `done`', calls.filter(({ isStream, told }) => isStream && told === null).length, 0),
    exactly('calls not stored as completed', calls.filter(({ tag }) => stored.get(tag) !== 'completed').length, 0),
    exactly('executions left `running`', running, 0),
    exactly('exit codes other than 0', stops.filter(({ code }) => code !== 0).length, 0),
    atMost('from the signal to the exit, longest', longestMs / 1000, 30, 's'),
  ]
}

function failureOf({ isStream, status, told, brokenBy }: SteadyCall): string | null {
  if (brokenBy !== null) return `broken by ${brokenBy}`
  if (status !== 200) return `answered ${status}`
  return isStream && told?.status !== 'completed' ? (told?.error?.message ?? 'no end') : null
}
