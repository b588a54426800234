import { setTimeout as pause } from 'node:timers/promises'
import type { ProgramEnd } from '@svc/testkit'
import { createClient, parsed } from '../support/client.ts'
import { openServingEnvironment, type ServingEnvironment, startWatched, stopServer } from '../support/environment.ts'
import { encodeTurn, startModelDouble } from '../support/model-double.ts'
import {
  atLeast,
  type Check,
  counted,
  exactly,
  prefixed,
  type Scenario,
  type ScenarioContext,
} from '../support/scenario.ts'
import { endedWithin, type ServerOptions, type ServerProcess } from '../support/server.ts'
import { startCallCounter } from '../support/serving.ts'
import { sum } from '../support/statistics.ts'
import { until, within } from '../support/within.ts'
import { type ExecutionReply, execute } from './executes.ts'
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

const SPOKEN = encodeTurn({ text: ['One ', 'two ', 'three ', 'four.'] })
const ASKED = encodeTurn({ text: ['Let me see.'], toolCalls: [{ name: 'act' }] })
const ENDLESS = encodeTurn({ text: Array.from({ length: 300 }, (_, index) => `word${index} `) })

export const shutdown: Scenario = {
  name: 'shutdown',
  title: 'A service that gets SIGTERM under 200 streams ends each with `done`, and exits within 30 s',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const random = context.random.fork()
    // Streams of one kind end in their own time, long ones never would.
    const double = await startModelDouble(context, ({ tag, index }) =>
      tag.startsWith('long')
        ? { turn: ENDLESS, pauseMs: 400 }
        : { turn: index === 0 && random.chance(0.5) ? ASKED : SPOKEN, pauseMs: random.int(50, 250) },
    )
    const { url: endpoint } = await startCallCounter(context, { afterMs: 150 })
    const variables = { ...double.variables, SVC_LIMIT_ENDPOINT_CALLS: String(STREAMS) }
    const environment = await openServingEnvironment(context, { endpoint, variables })
    await stopServer(environment.server)
    const [patient, impatient] = [context.count(STOPS, 2), context.count(IMPATIENT_STOPS)]
    const stops: Stop[] = []
    for (let index = 0; index < patient + impatient; index += 1) {
      const isImpatient = index >= patient
      const kind = isImpatient || index % LONG_EVERY === 1 ? 'long' : 'short'
      const end = async (server: ServerProcess) => {
        await pause(random.int(0, 800))
        const ended = terminate(server)
        if (!isImpatient) return ended
        await pause(300)
        return terminate(server)
      }
      stops.push(await stopOnce(context, environment, { tag: `${kind}-s${index}-`, isImpatient, end }))
      if (index % 10 === 9) context.say(`${index + 1} of ${patient + impatient} stops`)
    }
    const whileAway = context.engine === 'sqlite' ? [] : await stopWhileAway(context, endpoint, variables)
    return [...judgeStops(stops), ...whileAway]
  },
}

/** Stops under streams whose PostgreSQL is away by then, and comes back only once the server has ended. */
async function stopWhileAway(context: ScenarioContext, endpoint: string, variables: Record<string, string>) {
  const { cluster, relay, direct, relayed } = await openRelayedStore(context)
  const environment = await openServingEnvironment(context, { endpoint, variables, store: direct })
  await stopServer(environment.server)
  const checks: Check[] = []
  for (const name of ['stopped', 'silent'] as const) {
    const isStopped = name === 'stopped'
    const goAway = () => (isStopped ? cluster.stop('immediate') : relay.breakBy('hang'))
    const stops: Stop[] = []
    for (let index = 0; index < context.count(AWAY_STOPS, 2); index += 1) {
      const betweenMs = context.random.int(0, 1_000)
      const end = async (server: ServerProcess) => {
        const isFirst = index % 4 < 2
        const ended = isFirst ? null : terminate(server)
        if (isFirst) await goAway()
        await pause(betweenMs)
        if (!isFirst) await goAway()
        return ended ?? terminate(server)
      }
      stops.push(
        await stopOnce(context, environment, {
          tag: `${index % 2 === 1 ? 'long' : 'short'}-${name}${index}-`,
          isImpatient: false,
          end,
          store: isStopped ? direct : relayed,
          comeBack: () => (isStopped ? cluster.start() : relay.mend()),
        }),
      )
    }
    checks.push(...prefixed(`database ${name}: `, judgeStops(stops)))
  }
  return checks
}

function terminate(server: ServerProcess) {
  server.kill('SIGTERM')
  return endedWithin(server, WAIT_MS)
}

interface StopPlan {
  tag: string
  isImpatient: boolean
  end(server: ServerProcess): ReturnType<typeof terminate>
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
  streams: readonly (ExecutionReply & { tag: string })[]
  /** The executions of this server, as they were stored in the end. */
  rows: readonly Pick<StoredExecution, 'executionId' | 'tag' | 'status'>[]
  stillRunning: number
  /** Executions whose commit the database never answered: their outcome is unknown. */
  unanswered: ReadonlySet<string>
}

async function stopOnce(context: ScenarioContext, environment: ServingEnvironment, plan: StopPlan): Promise<Stop> {
  const { store = environment.store, tag, isImpatient, comeBack } = plan
  const server = await startWatched(context, { ...environment.options, store })
  const streams = await openStreams(context, { ...environment, server }, tag)
  const { end, tookMs: exitMs } = await plan.end(server)
  const reply = await within(Promise.all(streams), WAIT_MS, `streams of stop ${tag} to end`)
  await comeBack?.()
  let stillRunning = await runningAfter(environment.store, 0)
  if (isImpatient || comeBack) {
    // The next server ends the executions that this one left.
    const next = await startWatched(context, environment.options)
    stillRunning = await runningAfter(environment.store, TAKEN_OVER_MS[environment.store.engine])
    await stopServer(next)
  }
  const rows = (await readExecutions(environment.store)).filter((row) => row.tag.startsWith(tag))
  const isAway = comeBack !== undefined
  return { isImpatient, isAway, exitMs, end, streams: reply, rows, stillRunning, unanswered: unansweredIn(end.stderr) }
}

/** Opens so many at once, and resolves when the head of each is there, or it is over. */
async function openStreams(context: ScenarioContext, { server, runtimes }: ServingEnvironment, prefix: string) {
  const client = createClient(server.url, null)
  const count = context.count(STREAMS, 20)
  let begun = 0
  const begin = () => {
    begun += 1
  }
  const streams = Array.from({ length: count }, async (_, index) => {
    const { publicKey: key } = runtimes[index % runtimes.length] ?? runtimes[0]
    const tag = `${prefix}${index}`
    const reply = await execute(client, { key, tag, isStream: true, onHead: begin })
    if (reply.headStatus === 0) begin()
    return { tag, ...reply }
  })
  await until(() => begun === count, WAIT_MS, 5)
  return streams
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
export function judgeStops(stops: readonly Stop[]): Check[] {
  const patient = stops.filter(({ isImpatient }) => !isImpatient)
  const begun = patient.flatMap((stop) =>
    stop.streams.filter(({ headStatus }) => headStatus === 200).map((stream) => ({ stop, stream })),
  )
  const opened = sum(patient.map(({ streams }) => streams.length))
  const isAway = patient.some((stop) => stop.isAway)
  const countWith = (message: string) => begun.filter(({ stream }) => stream.result?.error?.message === message).length
  const lacking = begun.filter(
    ({ stream }) => stream.result === null || stream.hasMore || stream.connectionError !== null,
  )
  const unknown = lacking.filter(({ stop, stream }) => isUnknown(stop, stream))
  const untrue = stops.flatMap(({ streams, rows }) => {
    const stored = new Map(rows.map((row) => [row.executionId, row.status]))
    return streams.filter(({ result: end }) => end !== null && stored.get(end.executionId) !== end.status)
  })
  const slow = stops.filter(({ isImpatient, exitMs }) => exitMs > (isImpatient ? IMPATIENT_EXIT_MS : EXIT_MS))
  // A server without its database may say by its exit code that it could not close everything.
  const mayEndWith = (stop: Stop) => (stop.isImpatient ? [1] : stop.isAway ? [0, 1] : [0])
  const wrong = stops.filter((stop) => stop.end.signal !== null || !mayEndWith(stop).includes(stop.end.code ?? -1))
  return [
    atLeast('streams that had begun when the signal came', (100 * begun.length) / opened, 99, '%'),
    isAway
      ? atLeast('streams whose `done` says that their outcome could not be recorded', countWith(UNRECORDED), 1)
      : atLeast('streams that the stop itself had to end', countWith(INTERRUPTED), 1),
    counted('streams that ended without a word, their commit never answered', unknown.length),
    exactly('other streams without `done`', lacking.length - unknown.length, 0),
    exactly('streams whose `done` differs from what is stored', untrue.length, 0),
    exactly('ends later than 30 s after the signal, or 1 s after a second one', slow.length, 0),
    exactly('exit codes other than 0, or 1 after a second signal', wrong.length, 0),
    exactly('executions left `running`', sum(stops.map(({ stillRunning }) => stillRunning)), 0),
  ]
}

/** The caller of such a stream never learned its execution's id: the row that carries the same tag tells. */
function isUnknown({ rows, unanswered }: Stop, { tag, result, hasMore }: Stop['streams'][number]): boolean {
  return result === null && !hasMore && rows.some((row) => row.tag === tag && unanswered.has(row.executionId))
}
