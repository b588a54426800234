import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../support/client.ts'
import { brokerPath, openServingEnvironment, type ServingEnvironment } from '../support/environment.ts'
import { heapAfterCollection } from '../support/inspector.ts'
import { encodeTurn, startModelDouble } from '../support/model-double.ts'
import { usageOf } from '../support/process-usage.ts'
import { freePort } from '../support/programs.ts'
import { atLeast, atMost, type Check, exactly, none, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { startCallCounter } from '../support/serving.ts'
import { countBy } from '../support/statistics.ts'
import { forEachAtOnce, until } from '../support/within.ts'
import { CALL_INVARIANTS, invariantChecks, judgeCalls } from './checker.ts'
import { execute } from './executes.ts'
import { checkTotals, readCalls, readExecutions, runningAfter, type StoredExecution } from './rows.ts'

const DEPARTURES = 5_000
const WARM_UP = 250
const AT_ONCE = 60
/** The longest stay after the model or the endpoint was called. The model would answer for far longer. */
const LONGEST_STAY_MS = 1_200
const LONGEST_CALL_MS = 55
/** Some leave earlier, at any point of their call. */
const EARLY_SHARE = 0.15
const EARLY_MS = 30
const MB = 1024 * 1024
const HEAP_GROWTH_MB = 10
/** File descriptors that a process opens now and then by itself. */
const DESCRIPTOR_SLACK = 5
const IDLE_MS = 20_000
const PROMPT_MS = 1_000

const ASKING = encodeTurn({ text: ['Let ', 'me ', 'see.'], toolCalls: [{ name: 'act' }] })
const LONG = encodeTurn({ text: Array.from({ length: 200 }, (_, index) => `word${index} `) })

type Route = 'stream' | 'whole' | 'broker'

export const leavingClients: Scenario = {
  name: 'leaving-clients',
  title: 'A caller who leaves ends the model call, and leaves an ended row, its usage and no memory behind',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    /** Called back when the model or the endpoint is first called for a caller. */
    const arrivals = new Map<string, () => void>()
    const arrived = (tag: string) => {
      arrivals.get(tag)?.()
      arrivals.delete(tag)
    }
    const double = await startModelDouble(context, ({ tag, index }) => {
      arrived(tag)
      return index === 0 ? { turn: ASKING, pauseMs: 80 } : { turn: LONG, pauseMs: 100 }
    })
    const endpoint = await startCallCounter(context, { afterMs: 60, onCall: arrived })
    const inspector = await freePort()
    const environment = await openServingEnvironment(context, {
      endpoint: endpoint.url,
      variables: { ...double.variables, SVC_LIMIT_ENDPOINT_CALLS: '200' },
      nodeArguments: [`--inspect=127.0.0.1:${inspector}`],
    })
    await leave(context, environment, { arrivals, prefix: 'w', count: context.count(WARM_UP, 20) })
    const before = await restingUsage(environment, inspector, null)
    const departures = await leave(context, environment, {
      arrivals,
      prefix: 'd',
      count: context.count(DEPARTURES, 50),
    })
    await until(() => double.open() === 0, PROMPT_MS)
    const openCalls = double.open()
    const stillRunning = await runningAfter(environment.store, IDLE_MS)
    const after = await restingUsage(environment, inspector, before.descriptors)
    const effects = countBy(endpoint.effects, ({ callId }) => callId)
    return [
      ...judgeDepartures(departures, await readExecutions(environment.store)),
      exactly('model calls still open a second after the last caller left', openCalls, 0),
      ...invariantChecks(
        judgeCalls(await readCalls(environment.store), effects, () => true),
        CALL_INVARIANTS,
      ),
      exactly('executions still `running` once all had left', stillRunning, 0),
      ...(await checkTotals(environment)),
      atMost('growth of the heap after a full collection', after.heapMb - before.heapMb, HEAP_GROWTH_MB, 'MB'),
      atMost('file descriptors more than before', after.descriptors - before.descriptors, DESCRIPTOR_SLACK),
    ]
  },
}

export interface Departure {
  tag: string
  route: Route
  /** The caller left before the answer had ended. */
  hasLeft: boolean
  /** It left while its execution was under way. */
  isLate: boolean
  status: number
}

async function leave(
  context: ScenarioContext,
  { server, runtimes }: ServingEnvironment,
  { arrivals, prefix, count }: { arrivals: Map<string, () => void>; prefix: string; count: number },
) {
  const client = createClient(server.url, null)
  const { random } = context
  const departures: Departure[] = []
  await forEachAtOnce(Array.from({ length: count }), AT_ONCE, async (_, index) => {
    const runtime = runtimes[index % runtimes.length] ?? runtimes[0]
    const tag = `${prefix}${index}`
    const route = random.pick<Route>(['stream', 'stream', 'whole', 'broker'])
    const isEarly = random.chance(EARLY_SHARE)
    const longestMs = route === 'broker' ? LONGEST_CALL_MS : LONGEST_STAY_MS
    const stayMs = random.int(0, isEarly ? EARLY_MS : longestMs)
    const controller = new AbortController()
    const leaveLater = () => void setTimeout(() => controller.abort(), stayMs)
    if (isEarly) leaveLater()
    else arrivals.set(tag, leaveLater)
    const atBroker = { path: brokerPath(runtime), body: { input: {}, metadata: { tag } } }
    const asked = route === 'broker' ? atBroker : { key: runtime.publicKey }
    const reply = await execute(client, { ...asked, tag, isStream: route === 'stream', signal: controller.signal })
    const hasLeft = reply.connectionError !== null && controller.signal.aborted
    departures.push({ tag, route, hasLeft, isLate: hasLeft && !isEarly, status: reply.status })
    if (departures.length % 1_000 === 0) context.say(`${departures.length} of ${count} callers have left`)
  })
  await client.close()
  return departures
}

// Connections that are kept for another call are closed after some seconds.
async function restingUsage(
  { store, server: { pid } }: ServingEnvironment,
  inspectorPort: number,
  descriptors: number | null,
) {
  await runningAfter(store, IDLE_MS)
  await pause(6_000)
  const isResting = () => descriptors !== null && usageOf(pid).descriptors <= descriptors
  await until(isResting, descriptors === null ? 0 : IDLE_MS, 250)
  return { heapMb: (await heapAfterCollection(inspectorPort)) / MB, descriptors: usageOf(pid).descriptors }
}

/** An execution may be missing where its caller left before admission. */
export function judgeDepartures(
  departures: readonly Departure[],
  rows: readonly Pick<StoredExecution, 'tag' | 'kind' | 'status' | 'finishReason'>[],
): Check[] {
  const gone = departures.filter(({ hasLeft }) => hasLeft)
  const stayed = departures.filter(({ hasLeft, status }) => !hasLeft && status !== 200)
  const share = (part: readonly unknown[], of: readonly unknown[]) => (100 * part.length) / Math.max(1, of.length)
  const left = new Set(gone.map(({ tag }) => tag))
  const stored = rows.filter(({ tag }) => left.has(tag))
  const wrong = stored.filter((row) => !isCancelled(row))
  return [
    atLeast('callers who left before their answer ended', share(gone, departures), 90, '%'),
    atLeast('of these, ones whose execution had begun', share(stored, gone), 60, '%'),
    atLeast(
      'of these, ones who left during the model or the capability call',
      share(
        gone.filter(({ isLate }) => isLate),
        gone,
      ),
      40,
      '%',
    ),
    none(
      'executions that are not `failed`, `cancelled` after their caller left',
      wrong.map(({ tag, status, finishReason }) => `${tag}: ${status} ${finishReason}`),
    ),
    none(
      'callers who stayed without a whole answer',
      stayed.map(({ tag, status }) => `${tag}: ${status}`),
    ),
  ]
}

// The answer to a broker call may have been written at the very moment at which its caller left.
function isCancelled({ kind, status, finishReason }: Parameters<typeof judgeDepartures>[1][number]): boolean {
  return status === 'failed' ? finishReason === 'cancelled' : kind === 'broker' && status === 'completed'
}
