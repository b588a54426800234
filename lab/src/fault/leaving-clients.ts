import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../support/client.ts'
import { heapAfterCollection } from '../support/inspector.ts'
import { type ModelExchange, NO_TOKENS, playSlowly, speakTurn, startModelDouble } from '../support/model-double.ts'
import { usageOf } from '../support/process-usage.ts'
import { freePort } from '../support/programs.ts'
import {
  allHold,
  atLeast,
  atMost,
  type Check,
  exactly,
  type Scenario,
  type ScenarioContext,
} from '../support/scenario.ts'
import { startCallCounter } from '../support/serving.ts'
import { sum } from '../support/statistics.ts'
import { forEachAtOnce, until } from '../support/within.ts'
import { brokerPath, type CalledWorld, openCalledWorld } from '../support/world.ts'
import { execute, type HeardExecution } from './executes.ts'
import { checkTotals, type History, readHistories, runningAfter, type StoredExecution } from './rows.ts'

const DEPARTURES = 5_000
const WARM_UP = 250
const AT_ONCE = 60
// The stay of a caller once their model or their endpoint was asked. The model would speak for far longer.
const LONGEST_STAY_MS = 1_200
const LONGEST_CALL_MS = 55
// Some leave earlier, at any point of their call.
const EARLY_SHARE = 0.15
const EARLY_MS = 30
const MB = 1024 * 1024
const HEAP_GROWTH_MB = 10
// Descriptors that a process opens now and then by itself.
const DESCRIPTOR_SLACK = 5
const IDLE_MS = 20_000
const PROMPT_MS = 1_000
// A model's bytes of less than this before the caller left may or may not have been read.
const READING_MS = 500

const ASKING = { text: ['Let ', 'me ', 'see.'], toolCalls: [{ name: 'act' }] }
const WORDS = Array.from({ length: 200 }, (_, index) => `word${index} `)
const TURNS = [
  speakTurn(ASKING, { inputTokens: 90, outputTokens: 12 }),
  speakTurn({ text: WORDS }, { inputTokens: 140, outputTokens: 300 }),
] as const

type Route = 'stream' | 'whole' | 'broker'

export const leavingClients: Scenario = {
  name: 'leaving-clients',
  title: 'A caller who leaves ends the model call, and leaves an ended row, its usage and no memory behind',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    /** Called back when the model or the endpoint is first asked on behalf of a caller. */
    const arrivals = new Map<string, () => void>()
    const arrived = (tag: string) => {
      arrivals.get(tag)?.()
      arrivals.delete(tag)
    }
    const double = await startModelDouble(context, ({ tag, index }) => {
      arrived(tag)
      return index === 0 ? playSlowly(TURNS[0], 80) : playSlowly(TURNS[1], 100)
    })
    const endpoint = await startCallCounter(context, { afterMs: 60, onCall: arrived })
    const inspector = await freePort()
    const world = await openCalledWorld(context, {
      endpoint: endpoint.url,
      variables: { ...double.variables, SVC_LIMIT_ENDPOINT_CALLS: '200' },
      nodeArguments: [`--inspect=127.0.0.1:${inspector}`],
    })
    await leave(context, world, { arrivals, prefix: 'w', count: context.count(WARM_UP, 20) })
    const before = await restingUsage(world, inspector, null)
    const left = await leave(context, world, { arrivals, prefix: 'd', count: context.count(DEPARTURES, 50) })
    const stillRunning = await runningAfter(world.store, IDLE_MS)
    const after = await restingUsage(world, inspector, before.descriptors)
    const historyOf = await readHistories(world.store, { ...double, ...endpoint })
    const departures = left.map((each): Departure => ({ ...each, ...historyOf(each.tag) }))
    return [
      ...struck(departures),
      ...judgeDepartures(departures),
      exactly('executions still `running` once all had left', stillRunning, 0),
      ...(await checkTotals(world)),
      atMost('growth of the heap after a full collection', after.heapMb - before.heapMb, HEAP_GROWTH_MB, 'MB'),
      atMost('descriptors more than before', after.descriptors - before.descriptors, DESCRIPTOR_SLACK),
    ]
  },
}

/** One caller who left. Times of `performance.now()`. */
interface Departure extends History {
  tag: string
  route: Route
  /** Null: they stayed, however their connection ended. */
  leftAt: number | null
  heard: HeardExecution
}

interface Visits {
  arrivals: Map<string, () => void>
  prefix: string
  count: number
}

async function leave(context: ScenarioContext, { server, runtimes }: CalledWorld, { arrivals, prefix, count }: Visits) {
  const client = createClient(server.url, null)
  const { random } = context
  const left: Omit<Departure, keyof History>[] = []
  await forEachAtOnce(Array.from({ length: count }), AT_ONCE, async (_, index) => {
    const runtime = runtimes[index % runtimes.length] ?? runtimes[0]
    const tag = `${prefix}${index}`
    const route = random.pick<Route>(['stream', 'stream', 'whole', 'broker'])
    const isEarly = random.chance(EARLY_SHARE)
    const longestMs = route === 'broker' ? LONGEST_CALL_MS : LONGEST_STAY_MS
    const stayMs = random.int(0, isEarly ? EARLY_MS : longestMs)
    const controller = new AbortController()
    let leftAt: number | null = null
    const goLater = () => {
      setTimeout(() => {
        leftAt = performance.now()
        controller.abort()
      }, stayMs)
    }
    if (isEarly) goLater()
    else arrivals.set(tag, goLater)
    const atBroker = { path: brokerPath(runtime), body: { input: {}, metadata: { tag } } }
    const asked = route === 'broker' ? atBroker : { key: runtime.publicKey }
    const heard = await execute(client, { ...asked, tag, isStream: route === 'stream', signal: controller.signal })
    left.push({ tag, route, leftAt: heard.brokenBy === null ? null : leftAt, heard })
    if (left.length % 1_000 === 0) context.say(`${left.length} of ${count} callers have left`)
  })
  await client.close()
  return left
}

// Connections that are kept for another call are closed after some seconds.
async function restingUsage(
  { store, server: { pid } }: CalledWorld,
  inspectorPort: number,
  descriptors: number | null,
) {
  await runningAfter(store, IDLE_MS)
  await pause(6_000)
  const isResting = () => descriptors !== null && usageOf(pid).descriptors <= descriptors
  await until(isResting, descriptors === null ? 0 : IDLE_MS, 250)
  return { heapMb: (await heapAfterCollection(inspectorPort)) / MB, descriptors: usageOf(pid).descriptors }
}

function struck(departures: readonly Departure[]): Check[] {
  const gone = departures.filter(({ leftAt }) => leftAt !== null)
  const chatters = gone.filter(({ route }) => route !== 'broker')
  const inModel = chatters.filter(({ leftAt, exchanges }) =>
    exchanges.some(({ arrivedAt, wasLeft }) => wasLeft && leftAt !== null && arrivedAt <= leftAt),
  )
  const share = (part: readonly unknown[], of: readonly unknown[]) => (100 * part.length) / Math.max(1, of.length)
  const begun = gone.filter(({ row }) => row !== undefined)
  return [
    atLeast('callers who left before their answer ended', share(gone, departures), 90, '%'),
    atLeast('of these, ones whose execution had begun', share(begun, gone), 60, '%'),
    atLeast('callers of execute who left while the model spoke', share(inModel, chatters), 40, '%'),
  ]
}

const BREACHES = {
  held: 'model calls still open, or begun, a second after their caller left',
  row: 'executions that are not `failed`, `cancelled` after their caller left',
  lost: 'executions without a row that had an effect',
  calls: 'calls whose outcome is not recorded, or that were made twice',
  tokens: 'executions whose tokens seen were not metered',
  stayed: 'callers who stayed without a whole answer, or were told otherwise than is stored',
} as const

export function judgeDepartures(departures: readonly Departure[]): Check[] {
  const describe = ({ route, tag, row }: Departure) => `${route} ${tag}: ${row?.status} ${row?.finishReason}`
  return allHold(BREACHES, departures, { holds: promisesOf, describe })
}

function promisesOf(departure: Departure) {
  const { leftAt, row, calls, effects, exchanges, route } = departure
  const recorded = new Map(calls.map(({ callId, status }) => [callId, status]))
  const promptly = ({ arrivedAt, closedAt }: ModelExchange) =>
    (closedAt ?? Number.POSITIVE_INFINITY) - (leftAt ?? 0) <= PROMPT_MS && arrivedAt - (leftAt ?? 0) <= PROMPT_MS
  return {
    held: leftAt === null || exchanges.every(promptly),
    row: leftAt === null || row === undefined || isOver(row, route),
    lost: row !== undefined || (effects.length === 0 && exchanges.length === 0),
    // A caller who leaves does not end a call under way: its answer came, and must stand there.
    calls:
      new Set(effects.map(({ callId }) => callId)).size === effects.length &&
      calls.every(({ status }) => status !== 'dispatched') &&
      effects.every(({ callId }) => recorded.get(callId) === 'completed'),
    tokens: row === undefined || route === 'broker' || isMetered(row, exchanges, leftAt ?? Number.POSITIVE_INFINITY),
    stayed: leftAt !== null || wasServed(departure),
  }
}

/** A whole answer that says what is stored. The broker names no status in its answer: it is that of the answer. */
function wasServed({ route, row, heard: { status, told, hasMore } }: Departure): boolean {
  if (status !== 200 || hasMore) return false
  if (route === 'broker') return row?.status === 'completed'
  return told !== null && told.executionId === row?.executionId && told.status === row.status
}

// A broker's answer may have been written in the very moment in which its caller left.
function isOver({ status, finishReason }: StoredExecution, route: Route): boolean {
  return status === 'failed' ? finishReason === 'cancelled' : route === 'broker' && status === 'completed'
}

function isMetered(row: StoredExecution, exchanges: readonly ModelExchange[], leftAt: number): boolean {
  const seenUntil = (end: number, of: 'inputTokens' | 'outputTokens') =>
    sum(
      exchanges.map(({ index, sentAt }) => {
        const sent = sentAt.filter((at) => at <= end).length
        return (TURNS[index]?.events[sent - 1]?.reported ?? NO_TOKENS)[of]
      }),
    )
  return (['inputTokens', 'outputTokens'] as const).every(
    (of) => row[of] >= seenUntil(leftAt - READING_MS, of) && row[of] <= seenUntil(Number.POSITIVE_INFINITY, of),
  )
}
