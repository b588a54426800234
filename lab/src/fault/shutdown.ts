import { setTimeout as pause } from 'node:timers/promises'
import type { ProgramEnd } from '@svc/testkit'
import type { Random } from '../support/random.ts'
import { atLeast, type Check, counted, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { endedWithin, type ServerOptions, type ServerProcess } from '../support/server.ts'
import { sum } from '../support/statistics.ts'
import { within } from '../support/within.ts'
import { type CalledWorld, openCalledWorld, startWatched, stopServer } from '../support/world.ts'
import {
  createExecuteCallers,
  type HeardExecution,
  type ModelPlay,
  parsed,
  playSlowly,
  speakTurn,
  startCallCounter,
  startModelDouble,
} from './doubles.ts'
import { openRelayedStore } from './relayed-store.ts'
import { readExecutions, runningAfter, type StoredExecution } from './rows.ts'

const STOPS = 50
const IMPATIENT_STOPS = 3
const AWAY_STOPS = 4
const STREAMS = 200
/** One in so many stops meets streams that outlast the time they are given. */
const LONG_EVERY = 17
/** Longer than it may take: a server that never ends is killed, and judged by that. */
const WAIT_MS = 120_000
// On PostgreSQL others may fail the executions of a dead node once its lease of 30 s has run out, looked at every 10 s.
const TAKEN_OVER_MS = { sqlite: 5_000, postgres: 45_000 } as const
const EXIT_MS = 30_000
const IMPATIENT_EXIT_MS = 1_000

const USAGE = { inputTokens: 50, outputTokens: 20 }
const SPOKEN = speakTurn({ text: ['One ', 'two ', 'three ', 'four.'] }, USAGE)
const ASKED = speakTurn({ text: ['Let me see.'], toolCalls: [{ name: 'act' }] }, USAGE)
const ENDLESS = speakTurn({ text: Array.from({ length: 300 }, (_, index) => `word${index} `) }, USAGE)

export const shutdown: Scenario = {
  name: 'shutdown',
  title: 'A service that is told to stop under 200 streams ends each with `done`, and is gone within 30 s',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const random = context.random.fork()
    const double = await startModelDouble(context, (tag, index) => playOf(tag, index, random))
    const endpoint = await startCallCounter(context, { afterMs: 150 })
    const variables = { ...double.serverEnv, SVC_LIMIT_ENDPOINT_CALLS: String(STREAMS) }
    const world = await openCalledWorld(context, { endpoint: endpoint.url, variables })
    await stopServer(world.server)
    const [patient, impatient] = [context.count(STOPS, 2), context.count(IMPATIENT_STOPS)]
    const stops: Stop[] = []
    for (let index = 0; index < patient + impatient; index += 1) {
      const isImpatient = index >= patient
      const kind = isImpatient || index % LONG_EVERY === 1 ? 'long' : 'short'
      const end = async (server: ServerProcess) => {
        await pause(random.int(0, 800))
        const ended = tell(server)
        if (!isImpatient) return ended
        await pause(300)
        return tell(server)
      }
      stops.push(await stopOnce(context, world, { tag: `${kind}-s${index}-`, isImpatient, end }))
      if (index % 10 === 9) context.say(`${index + 1} of ${patient + impatient} stops`)
    }
    const checks = judgeStops('', stops)
    if (context.engine === 'sqlite') return checks
    return [...checks, ...(await stopWhileAway(context, { endpoint: endpoint.url, variables }))]
  },
}

// Streams of one kind end in their own time, long ones never would.
function playOf(tag: string, index: number, random: Random): ModelPlay {
  if (tag.startsWith('long')) return playSlowly(ENDLESS, 400)
  return playSlowly(index === 0 && random.chance(0.5) ? ASKED : SPOKEN, random.int(50, 250))
}

/** Stops under streams whose PostgreSQL is away by then, and comes back only once the server has ended. */
async function stopWhileAway(
  context: ScenarioContext,
  options: { endpoint: string; variables: Record<string, string> },
) {
  const { cluster, relay, direct, relayed } = await openRelayedStore(context)
  const world = await openCalledWorld(context, { ...options, store: direct })
  await stopServer(world.server)
  const checks: Check[] = []
  for (const name of ['stopped', 'silent'] as const) {
    const isStopped = name === 'stopped'
    const goAway = () => (isStopped ? cluster.stop('immediate') : relay.breakBy('hang'))
    const comeBack = () => (isStopped ? cluster.start() : relay.mend())
    const stops: Stop[] = []
    for (let index = 0; index < context.count(AWAY_STOPS, 2); index += 1) {
      const betweenMs = context.random.int(0, 1_000)
      const goFirst = async (server: ServerProcess) => {
        await goAway()
        await pause(betweenMs)
        return tell(server)
      }
      const goLater = async (server: ServerProcess) => {
        const ended = tell(server)
        await pause(betweenMs)
        await goAway()
        return ended
      }
      const end = index % 4 < 2 ? goFirst : goLater
      const tag = `${index % 2 === 1 ? 'long' : 'short'}-${name}${index}-`
      const store = isStopped ? direct : relayed
      stops.push(await stopOnce(context, world, { tag, isImpatient: false, end, store, comeBack }))
    }
    checks.push(...judgeStops(`database ${name}: `, stops))
  }
  return checks
}

type Ended = Awaited<ReturnType<typeof tell>>

function tell(server: ServerProcess) {
  server.kill('SIGTERM')
  return endedWithin(server, WAIT_MS)
}

interface StopPlan {
  tag: string
  isImpatient: boolean
  end(server: ServerProcess): Promise<Ended>
  /** Where the database goes away: how the server reaches it, and what brings it back. */
  store?: ServerOptions['store']
  comeBack?(): Promise<unknown>
}

/** One stop of a server under streams. */
export interface Stop {
  isImpatient: boolean
  /** The database was away. */
  isAway: boolean
  exitMs: number
  end: Pick<ProgramEnd, 'code' | 'signal'>
  streams: readonly (HeardExecution & { tag: string })[]
  /** The executions of this server, as they were stored in the end. */
  rows: readonly Pick<StoredExecution, 'executionId' | 'tag' | 'status'>[]
  stillRunning: number
  /** Executions whose commit the database never answered: of these nothing can be told. */
  unanswered: ReadonlySet<string>
}

async function stopOnce(context: ScenarioContext, world: CalledWorld, plan: StopPlan): Promise<Stop> {
  const { store = world.store, tag, isImpatient, comeBack } = plan
  const server = await startWatched(context, { ...world.options, store })
  const { streams, begun } = openStreams(context, { ...world, server }, tag)
  await within(begun, WAIT_MS, `streams of stop ${tag} to begin`)
  const { end, tookMs: exitMs } = await plan.end(server)
  const heard = await within(Promise.all(streams), WAIT_MS, `streams of stop ${tag} to end`)
  await comeBack?.()
  let stillRunning = await runningAfter(world.store, 0)
  if (isImpatient || comeBack) {
    // The next server ends the executions that this one left.
    const next = await startWatched(context, world.options)
    stillRunning = await runningAfter(world.store, TAKEN_OVER_MS[world.store.engine])
    await stopServer(next)
  }
  const rows = (await readExecutions(world.store)).filter((row) => row.tag.startsWith(tag))
  const isAway = comeBack !== undefined
  return { isImpatient, isAway, exitMs, end, streams: heard, rows, stillRunning, unanswered: unansweredIn(end.stderr) }
}

/** Opens so many at once; `begun` resolves when the head of each is there, or all of them are over. */
function openStreams(context: ScenarioContext, { server, runtimes }: CalledWorld, prefix: string) {
  const execute = createExecuteCallers(context, server.url)
  let remaining = context.count(STREAMS, 20)
  let allBegun = () => {}
  const begun = new Promise<void>((resolve) => {
    allBegun = resolve
  })
  const onBegin = () => {
    remaining -= 1
    if (remaining === 0) allBegun()
  }
  const streams = Array.from({ length: remaining }, async (_, index) => {
    const { publicKey: key } = runtimes[index % runtimes.length] ?? runtimes[0]
    const tag = `${prefix}${index}`
    return { tag, ...(await execute({ key, tag, isStream: true, onBegin })) }
  })
  void Promise.all(streams).then(allBegun)
  return { streams, begun }
}

/** Executions of which the service says in its log that it never learned whether their outcome was written. */
export function unansweredIn(log: string): ReadonlySet<string> {
  const lines = log.split('\n').filter((line) => line.includes('an outcome could not be written'))
  const unknown = lines.filter((line) => line.includes('"type":"CommitUnknownError"')).map(parsed)
  const ids = unknown.map((line) =>
    typeof line === 'object' && line && 'executionId' in line ? line.executionId : null,
  )
  return new Set(ids.filter((id) => typeof id === 'string'))
}

const INTERRUPTED = 'The service was restarted while the execution ran.'
const UNRECORDED = 'The outcome of the execution could not be recorded.'

/** Over all stops. Streams that an impatient stop cut need no `done`. */
export function judgeStops(during: string, stops: readonly Stop[]): Check[] {
  const patient = stops.filter(({ isImpatient }) => !isImpatient)
  const begun = patient.flatMap((stop) =>
    stop.streams.filter(({ status }) => status === 200).map((stream) => ({ stop, stream })),
  )
  const opened = sum(patient.map(({ streams }) => streams.length))
  const isAway = patient.some((stop) => stop.isAway)
  const told = (message: string) => begun.filter(({ stream }) => stream.told?.error?.message === message).length
  const lacking = begun.filter(({ stream }) => stream.told === null || stream.hasMore || stream.brokenBy !== null)
  const inDoubt = lacking.filter(({ stop, stream }) => isInDoubt(stop, stream))
  const untrue = stops.flatMap(({ streams, rows }) => {
    const stored = new Map(rows.map((row) => [row.executionId, row.status]))
    return streams.filter(
      (stream) => stream.told !== null && stored.get(stream.told.executionId) !== stream.told.status,
    )
  })
  const slow = stops.filter(({ isImpatient, exitMs }) => exitMs > (isImpatient ? IMPATIENT_EXIT_MS : EXIT_MS))
  // A server without its database may say by its exit code that it could not close everything.
  const mayEndWith = (stop: Stop) => (stop.isImpatient ? [1] : stop.isAway ? [0, 1] : [0])
  const wrong = stops.filter((stop) => stop.end.signal !== null || !mayEndWith(stop).includes(stop.end.code ?? -1))
  const checks = [
    atLeast('streams that had begun when the signal came', (100 * begun.length) / opened, 99, '%'),
    isAway
      ? atLeast('streams told that their outcome could not be recorded', told(UNRECORDED), 1)
      : atLeast('streams that the stop itself had to end', told(INTERRUPTED), 1),
    counted('streams that ended without a word, their commit never answered', inDoubt.length),
    exactly('other streams without `done`', lacking.length - inDoubt.length, 0),
    exactly('streams told otherwise than stored', untrue.length, 0),
    exactly('ends later than 30 s after the signal, or 1 s after a second one', slow.length, 0),
    exactly('exit codes other than 0, or 1 after a second signal', wrong.length, 0),
    exactly('executions left `running`', sum(stops.map(({ stillRunning }) => stillRunning)), 0),
  ]
  return checks.map((check) => ({ ...check, what: `${during}${check.what}` }))
}

/** The caller of such a stream never learned its execution's id: the row that carries the same tag tells. */
function isInDoubt({ rows, unanswered }: Stop, { tag, told, hasMore }: Stop['streams'][number]): boolean {
  return told === null && !hasMore && rows.some((row) => row.tag === tag && unanswered.has(row.executionId))
}
