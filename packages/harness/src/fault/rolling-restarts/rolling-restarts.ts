import { setTimeout as pause } from 'node:timers/promises'
import type { CreatedRuntime } from '@svc/contract'
import { freePort } from '../../support/free-port.ts'
import { atLeast, atMost, type Check, counted, exactly, type Scenario, withFindings } from '../../support/scenario.ts'
import { endedWithin } from '../../support/server.ts'
import type { Store } from '../../support/store.ts'
import { startCallCounter } from '../call-counter.ts'
import { startModelDouble } from '../model-double.ts'
import { playSlowly, speakTurn } from '../model-turn.ts'
import { readExecutions, runningAfter } from '../rows.ts'
import { createExecuteCallers, type HeardExecution, taggedBody } from '../streams.ts'
import { openWorld, startWatched } from '../world.ts'
import { startBalancer } from './balancer.ts'

const ROUNDS = 10
const PER_SECOND = 50
const HOSTS = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const
/** Twice the time in which the balancer notices that a replica drains. */
const DRAIN_DELAY_MS = 2_000
const STOP_MS = 60_000

const USAGE = { inputTokens: 50, outputTokens: 20 }
const SPOKEN = speakTurn({ text: ['One ', 'two ', 'three ', 'four.'] }, USAGE)
const ASKED = speakTurn({ text: ['Let me see.'], toolCalls: [{ name: 'act' }] }, USAGE)

interface Stopped {
  openStreams: number
  code: number | null
  tookMs: number
}

/** Every replica restarted in its turn, behind the balancer of the composition. */
export const rollingRestarts: Scenario = {
  name: 'rolling-restarts',
  title: 'Three replicas behind a balancer are restarted in turn under 50 calls a second: no call fails',
  engines: ['postgres'],
  async run(context) {
    const random = context.random.fork()
    const model = await startModelDouble((_, index) =>
      playSlowly(index === 0 && random.chance(0.5) ? ASKED : SPOKEN, random.int(50, 250)),
    )
    context.onEnd(model.close)
    const endpoint = await startCallCounter({ afterMs: 150 })
    context.onEnd(endpoint.close)
    const place = { hosts: HOSTS, port: await freePort(), opsPort: await freePort() }
    const at = (host: string) => ({ HOST: host, SVC_OPS_HOST: host })
    const variables = {
      ...model.serverEnv,
      ...at(HOSTS[0]),
      PORT: String(place.port),
      SVC_OPS_PORT: String(place.opsPort),
      SVC_DRAIN_DELAY_MS: String(DRAIN_DELAY_MS),
      SVC_LIMIT_ENDPOINT_CALLS: '200',
    }
    const world = await openWorld(context, { endpoint: endpoint.url, variables })
    const start = async (host: string) => {
      const server = await startWatched(context, {
        ...world.options,
        variables: { ...world.options.variables, ...at(host) },
      })
      // As an orchestrator asks, before it goes on to the next one.
      while (!(await isOk(`${server.opsUrl}/ready`))) await pause(100)
      return { host, server }
    }
    const replicas = [{ host: HOSTS[0] as string, server: world.server }, await start(HOSTS[1]), await start(HOSTS[2])]
    const url = await startBalancer(context, place)
    while (!(await isOk(`${url}/health`))) await pause(100)
    const load = startLoad(url, world.runtimes)
    const stops: Stopped[] = []
    for (let restart = 0; restart < context.count(ROUNDS) * HOSTS.length; restart += 1) {
      const replica = replicas.shift()
      if (!replica) throw new Error('there is no replica')
      while (load.openStreams < PER_SECOND / 5) await pause(100)
      const { openStreams } = load
      replica.server.kill('SIGTERM')
      const { end, tookMs } = await endedWithin(replica.server, STOP_MS)
      stops.push({ openStreams, code: end.code, tookMs })
      replicas.push(await start(replica.host))
      if (replica.host === HOSTS[2]) context.say(`${stops.length} restarts`)
    }
    return judge(world.store, stops, await load.stop())
  },
}

interface Load {
  perSecond: number
  calls: readonly SteadyCall[]
}

async function judge(store: Store, stops: readonly Stopped[], { perSecond, calls }: Load): Promise<Check[]> {
  const running = await runningAfter(store, 10_000)
  const stored = new Map((await readExecutions(store)).map(({ tag, status }) => [tag, status]))
  const failures = calls.map(failureOf).filter((failure) => failure !== null)
  return [
    counted('restarts', stops.length),
    counted('calls', calls.length),
    atLeast('calls begun a second', perSecond, PER_SECOND * 0.95),
    counted(
      'streams under way when a replica was told to stop',
      stops.reduce((sum, one) => sum + one.openStreams, 0),
    ),
    withFindings(exactly('calls that failed', failures.length, 0), [...new Set(failures)].slice(0, 5)),
    exactly('streams without `done`', calls.filter(({ isStream, told }) => isStream && told === null).length, 0),
    exactly('calls not stored as completed', calls.filter(({ tag }) => stored.get(tag) !== 'completed').length, 0),
    exactly('executions left `running`', running, 0),
    exactly('exit codes other than 0', stops.filter(({ code }) => code !== 0).length, 0),
    atMost('from the signal to the exit, longest', Math.max(...stops.map(({ tookMs }) => tookMs)) / 1000, 30, 's'),
  ]
}

function isOk(url: string): Promise<boolean> {
  const asked = fetch(url, { headers: { connection: 'close' } })
  return asked.then(({ ok }) => ok).catch(() => false)
}

type SteadyCall = HeardExecution & { isStream: boolean; tag: string }

/** Begins so many calls a second, however long earlier ones take: streams of execute, and calls of strangers. */
function startLoad(url: string, runtimes: readonly [CreatedRuntime, ...CreatedRuntime[]]) {
  const callers = createExecuteCallers(url)
  const calls: Promise<SteadyCall>[] = []
  let openStreams = 0
  const perform = async (index: number): Promise<SteadyCall> => {
    const { runtimeId, publicKey } = runtimes[index % runtimes.length] ?? runtimes[0]
    const tag = `r${index}`
    const isStream = Math.floor(index / runtimes.length) % 2 === 0
    const stranger = { path: `/v1/capabilities/${runtimeId}/act`, body: { input: {}, metadata: { tag } } }
    const target = isStream ? { key: publicKey, body: taggedBody(tag) } : stranger
    openStreams += isStream ? 1 : 0
    const heard = await callers.execute({ tag, isStream, ...target })
    openStreams -= isStream ? 1 : 0
    return { isStream, tag, ...heard }
  }
  const startedAt = performance.now()
  const elapsedS = () => (performance.now() - startedAt) / 1000
  const timer = setInterval(() => {
    while (calls.length < elapsedS() * PER_SECOND) calls.push(perform(calls.length))
  }, 10)
  return {
    get openStreams() {
      return openStreams
    },
    async stop() {
      clearInterval(timer)
      const perSecond = calls.length / elapsedS()
      const all = await Promise.all(calls)
      await callers.close()
      return { perSecond, calls: all }
    },
  }
}

function failureOf({ isStream, status, told, text, brokenBy }: SteadyCall): string | null {
  if (brokenBy !== null) return `broken by ${brokenBy}`
  if (status !== 200) return `${status} ${text.slice(0, 120)}`
  return isStream && told?.status !== 'completed' ? `${told?.error?.message ?? 'no end'}` : null
}
