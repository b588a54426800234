import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'
import { heapAfterCollection } from '../../support/inspector.ts'
import { usageOf } from '../../support/process-usage.ts'
import type { Random } from '../../support/random.ts'
import { atLeast, atMost, type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { forEachAtOnce } from '../at-once.ts'
import { type CallCounter, startCallCounter } from '../call-counter.ts'
import { groupBy } from '../group-by.ts'
import { type ModelDouble, startModelDouble } from '../model-double.ts'
import { playSlowly, speakTurn } from '../model-turn.ts'
import { readCalls, readExecutions, readTotals, runningAfter } from '../rows.ts'
import { createExecuteCallers } from '../streams.ts'
import { openWorld, type World } from '../world.ts'
import { BREACHES, type Departure, judgeDepartures } from './judge.ts'

const DEPARTURES = 5_000
const WARM_UP = 250
const AT_ONCE = 60
// How long a caller stays once their model or their endpoint was asked. The model would speak for far longer.
const LONGEST_STAY_MS = 1_200
const LONGEST_CALL_MS = 55
// Some leave earlier, whatever has become of their call by then.
const EARLY_SHARE = 0.15
const EARLY_MS = 30
const MB = 1024 * 1024
const HEAP_GROWTH_MB = 10
// What a process opens now and then of its own accord.
const DESCRIPTOR_SLACK = 5
const IDLE_MS = 20_000

const ASKING = speakTurn(
  { text: ['Let ', 'me ', 'see.'], toolCalls: [{ name: 'act' }] },
  { inputTokens: 90, outputTokens: 12 },
)
const TALKING = speakTurn(
  { text: Array.from({ length: 200 }, (_, index) => `word${index} `) },
  { inputTokens: 140, outputTokens: 300 },
)
const TURNS = [ASKING, TALKING]

/** Callers of every doorway who leave in the middle. */
export const leavingClients: Scenario = {
  name: 'leaving-clients',
  title: 'Whoever leaves takes the model call along, and leaves an ended row, its usage and no memory behind',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const arrivals = createArrivals()
    const double = await startModelDouble((tag, index) => {
      arrivals.note(tag)
      return index === 0 ? playSlowly(ASKING, 80) : playSlowly(TALKING, 100)
    })
    context.onEnd(double.close)
    const endpoint = await startCallCounter({ afterMs: 60, onCall: arrivals.note })
    context.onEnd(endpoint.close)
    const inspectorPort = await freePort()
    const world = await openWorld(context, {
      endpoint: endpoint.url,
      variables: { ...double.serverEnv, SVC_LIMIT_ENDPOINT_CALLS: '200' },
      nodeArguments: [`--inspect=127.0.0.1:${inspectorPort}`],
    })
    const leaveAll = (visits: readonly Visit[]) => leave(context, { world, arrivals }, visits)
    await leaveAll(visitsOf(context.random.fork(), context.count(WARM_UP, 20), 'w'))
    const before = await restingUsage(world, inspectorPort, null)
    const left = await leaveAll(visitsOf(context.random.fork(), context.count(DEPARTURES, 50), 'd'))
    const stillRunning = await runningAfter(world.store, IDLE_MS)
    const after = await restingUsage(world, inspectorPort, before.descriptors)
    const departures = await gather(world, { left, double, endpoint })
    return [
      ...struck(departures),
      ...promises(context, departures),
      exactly('executions still `running` once all had left', stillRunning, 0),
      ...(await usageChecks(world)),
      atMost(
        'growth of the heap after a full collection',
        (after.heapBytes - before.heapBytes) / MB,
        HEAP_GROWTH_MB,
        'MB',
      ),
      atMost('descriptors more than before', after.descriptors - before.descriptors, DESCRIPTOR_SLACK),
    ]
  },
}

/** Tells when the model or the endpoint is first asked on behalf of a caller. */
interface Arrivals {
  note(tag: string): void
  /** Calls back once, at the first such moment after this. */
  onFirst(tag: string, callback: () => void): void
}

function createArrivals(): Arrivals {
  const waiting = new Map<string, () => void>()
  return {
    note(tag) {
      waiting.get(tag)?.()
      waiting.delete(tag)
    },
    onFirst: (tag, callback) => void waiting.set(tag, callback),
  }
}

interface Visit {
  tag: string
  door: Departure['door']
  /** Whether the stay is counted from the start of the call, and not from when somebody was asked on its behalf. */
  isEarly: boolean
  stayMs: number
}

function visitsOf(random: Random, count: number, prefix: string): Visit[] {
  return Array.from({ length: count }, (_, index) => {
    const door = random.pick<Departure['door']>(['stream', 'stream', 'whole', 'broker'])
    const isEarly = random.chance(EARLY_SHARE)
    const longestMs = door === 'broker' ? LONGEST_CALL_MS : LONGEST_STAY_MS
    return { tag: `${prefix}${index}`, door, isEarly, stayMs: random.int(0, isEarly ? EARLY_MS : longestMs) }
  })
}

type Left = Pick<Departure, 'tag' | 'door' | 'leftAt' | 'heard'>

async function leave(
  context: ScenarioContext,
  { world, arrivals }: { world: World; arrivals: Arrivals },
  visits: readonly Visit[],
): Promise<Left[]> {
  const callers = createExecuteCallers(world.server.url)
  const left: Left[] = []
  await forEachAtOnce(visits, AT_ONCE, async ({ tag, door, isEarly, stayMs }, index) => {
    const { publicKey, runtimeId } = world.runtimes[index % world.runtimes.length] ?? world.runtimes[0]
    const controller = new AbortController()
    let leftAt: number | null = null
    const goLater = () =>
      setTimeout(() => {
        leftAt = performance.now()
        controller.abort()
      }, stayMs)
    if (isEarly) goLater()
    else arrivals.onFirst(tag, goLater)
    const asked =
      door === 'broker'
        ? { path: `/v1/capabilities/${runtimeId}/act`, body: { input: {}, metadata: { tag } } }
        : { key: publicKey }
    const heard = await callers.execute({
      ...asked,
      tag,
      isStream: door === 'stream',
      signal: controller.signal,
    })
    left.push({ tag, door, leftAt: heard.brokenBy === null ? null : leftAt, heard })
    if (left.length % 1_000 === 0) context.say(`${left.length} of ${visits.length} callers have left`)
  })
  await callers.close()
  return left
}

interface Resting {
  heapBytes: number
  descriptors: number
}

// Connections that are kept for another call are closed after some seconds; waits for that, or for the time to be up.
async function restingUsage(world: World, inspectorPort: number, descriptors: number | null): Promise<Resting> {
  await runningAfter(world.store, IDLE_MS)
  const until = performance.now() + IDLE_MS
  const isResting = () => descriptors !== null && usageOf(world.server.pid).descriptors <= descriptors
  await pause(6_000)
  while (!isResting() && performance.now() < until) await pause(250)
  const heapBytes = await heapAfterCollection(inspectorPort)
  return { heapBytes, descriptors: usageOf(world.server.pid).descriptors }
}

async function gather(
  world: World,
  seen: { left: readonly Left[]; double: ModelDouble; endpoint: CallCounter },
): Promise<Departure[]> {
  const rows = new Map((await readExecutions(world.store)).map((row) => [row.tag, row]))
  const calls = groupBy(await readCalls(world.store), ({ executionId }) => executionId)
  const effects = groupBy(seen.endpoint.effects, ({ executionId }) => executionId)
  const exchanges = groupBy(seen.double.exchanges, ({ tag }) => tag)
  return seen.left.map((each) => {
    const row = rows.get(each.tag)
    const id = row?.executionId ?? ''
    return {
      ...each,
      row,
      calls: calls.get(id) ?? [],
      effects: effects.get(id) ?? [],
      exchanges: exchanges.get(each.tag) ?? [],
    }
  })
}

function struck(departures: readonly Departure[]): Check[] {
  const gone = departures.filter(({ leftAt }) => leftAt !== null)
  const begun = gone.filter(({ row }) => row !== undefined)
  const inModel = gone.filter(({ leftAt, exchanges }) =>
    exchanges.some(({ arrivedAt, wasLeft }) => wasLeft && leftAt !== null && arrivedAt <= leftAt),
  )
  const share = (part: readonly Departure[], of: readonly Departure[]) => (100 * part.length) / Math.max(1, of.length)
  return [
    atLeast('callers who left before their answer ended', share(gone, departures), 90, '%'),
    atLeast('of these, ones whose execution had begun', share(begun, gone), 60, '%'),
    atLeast(
      'callers of execute who left while the model spoke',
      share(
        inModel,
        gone.filter(({ door }) => door !== 'broker'),
      ),
      40,
      '%',
    ),
  ]
}

function promises(context: ScenarioContext, departures: readonly Departure[]): Check[] {
  const breaches = judgeDepartures(departures, { turns: TURNS })
  for (const { text } of breaches.slice(0, 5)) context.say(text)
  return Object.entries(BREACHES).map(([kind, what]) =>
    exactly(what, breaches.filter((breach) => breach.kind === kind).length, 0),
  )
}

async function usageChecks(world: World): Promise<Check[]> {
  const rows = await readExecutions(world.store)
  const totals = await readTotals(world.server.url, world.owner)
  const tokens = rows.reduce((sum, row) => sum + row.inputTokens + row.outputTokens, 0)
  return [
    exactly('executions, as the owner is shown', totals.executions, rows.length),
    exactly('tokens, as the owner is shown', totals.totalTokens, tokens),
    exactly('capability calls, as the owner is shown', totals.capabilityCalls, (await readCalls(world.store)).length),
  ]
}
