import type { CreatedRuntime } from '@svc/contract'
import { createClient } from '../support/client.ts'
import { brokerPath } from '../support/environment.ts'
import { encodeTurn, startModelDouble } from '../support/model-double.ts'
import {
  atLeast,
  atMost,
  counted,
  exactly,
  type Scenario,
  type ScenarioContext,
  withFindings,
} from '../support/scenario.ts'
import { endedWithin } from '../support/server.ts'
import { startCallCounter } from '../support/serving.ts'
import { sum } from '../support/statistics.ts'
import { until } from '../support/within.ts'
import { openReplicas } from './balanced.ts'
import { type ExecutionReply, execute } from './executes.ts'
import { readExecutions, runningAfter } from './rows.ts'

const ROUNDS = 10
const PER_SECOND = 50
/** Twice the time in which the balancer notices that a replica drains. */
const DRAIN_DELAY_MS = 2_000
const STOP_MS = 60_000
const BUSY_MS = 60_000

const SPOKEN = encodeTurn({ text: ['One ', 'two ', 'three ', 'four.'] })
const ASKED = encodeTurn({ text: ['Let me see.'], toolCalls: [{ name: 'act' }] })

export const rollingRestarts: Scenario = {
  name: 'rolling-restarts',
  title: 'Three replicas behind a balancer are restarted in turn under 50 calls a second: no call fails',
  engines: ['postgres'],
  async run(context) {
    const random = context.random.fork()
    const model = await startModelDouble(context, ({ index }) => ({
      turn: index === 0 && random.chance(0.5) ? ASKED : SPOKEN,
      pauseMs: random.int(50, 250),
    }))
    const { url: endpoint } = await startCallCounter(context, { afterMs: 150 })
    const limits = { SVC_DRAIN_DELAY_MS: String(DRAIN_DELAY_MS), SVC_LIMIT_ENDPOINT_CALLS: '200' }
    const { environment, replicas, start, balance } = await openReplicas(context, {
      endpoint,
      variables: { ...model.variables, ...limits },
    })
    const restarts = context.count(ROUNDS) * replicas.length
    const load = startLoad(context, await balance(), environment.runtimes)
    const stops: { openStreams: number; code: number | null; tookMs: number }[] = []
    while (stops.length < restarts) {
      const replica = replicas.shift()
      if (!replica) throw new Error('there is no replica')
      await until(() => load.openStreams() >= PER_SECOND / 5, BUSY_MS, 100)
      const openStreams = load.openStreams()
      replica.server.kill('SIGTERM')
      const { end, tookMs } = await endedWithin(replica.server, STOP_MS)
      stops.push({ openStreams, code: end.code, tookMs })
      replicas.push(await start(replica.host))
    }
    const { perSecond, calls } = await load.stop()
    const running = await runningAfter(environment.store, 10_000)
    const stored = new Map((await readExecutions(environment.store)).map(({ tag, status }) => [tag, status]))
    const failures = calls.map(failureOf).filter((failure) => failure !== null)
    const longestMs = Math.max(...stops.map(({ tookMs }) => tookMs))
    return [
      counted('restarts', stops.length),
      counted('calls', calls.length),
      atLeast('calls begun a second', perSecond, PER_SECOND * 0.95),
      counted('streams open when a replica got SIGTERM', sum(stops.map(({ openStreams }) => openStreams))),
      withFindings(exactly('calls that failed', failures.length, 0), [...new Set(failures)]),
      exactly('streams without `done`', calls.filter(({ isStream, result }) => isStream && result === null).length, 0),
      exactly('calls not stored as completed', calls.filter(({ tag }) => stored.get(tag) !== 'completed').length, 0),
      exactly('executions left `running`', running, 0),
      exactly('exit codes other than 0', stops.filter(({ code }) => code !== 0).length, 0),
      atMost('from the signal to the exit, longest', longestMs / 1000, 30, 's'),
    ]
  },
}

type SteadyCall = ExecutionReply & { isStream: boolean; tag: string }

/** Begins so many calls a second, however long earlier ones take: streams of execute, and anonymous calls. */
function startLoad(context: ScenarioContext, url: string, runtimes: readonly [CreatedRuntime, ...CreatedRuntime[]]) {
  const client = createClient(url, null)
  const calls: Promise<SteadyCall>[] = []
  let openStreams = 0
  const perform = async (index: number): Promise<SteadyCall> => {
    const runtime = runtimes[index % runtimes.length] ?? runtimes[0]
    const tag = `r${index}`
    const isStream = Math.floor(index / runtimes.length) % 2 === 0
    const atBroker = { path: brokerPath(runtime), body: { input: {}, metadata: { tag } } }
    openStreams += isStream ? 1 : 0
    const reply = await execute(client, { tag, isStream, ...(isStream ? { key: runtime.publicKey } : atBroker) })
    openStreams -= isStream ? 1 : 0
    return { isStream, tag, ...reply }
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

function failureOf({ isStream, status, result, connectionError }: SteadyCall): string | null {
  if (connectionError !== null) return `broken by ${connectionError}`
  if (status !== 200) return `answered ${status}`
  return isStream && result?.status !== 'completed' ? (result?.error?.message ?? 'no end') : null
}
