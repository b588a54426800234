import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedRuntime } from '@svc/contract'
import { at, startProbeProcess } from '../support/probe.ts'
import { jsonRequest, RawConnection, toBytes } from '../support/raw.ts'
import {
  atLeast,
  atMost,
  type Check,
  counted,
  exactly,
  type Scenario,
  type ScenarioContext,
} from '../support/scenario.ts'
import { startTurns } from '../support/serving.ts'
import { sum } from '../support/statistics.ts'
import { answered, generate, toLoad } from './load.ts'
import { probePath, type Stage, setStage } from './stage.ts'

const HEAP_MB = 512
const ATTACKERS = 4
/** 0.9 MB, most of it structure. */
const MESSAGES = 190
const PARTS = 78
const PART = { type: 'text', content: 'It is a red shoe of size 42.' }
const EXECUTE = '/v1/runtime/execute'
const EXECUTIONS = 2_000
const GREEDY = 3
const OTHERS_CALLS = 50
/** How much slower another account's calls may be than on a quiet service. */
const P99_FACTOR = 5

export const fairness: Scenario = {
  name: 'fairness',
  title: 'accounts that take all they can end no process and keep no other account out',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    return [...(await exhaustMemory(context)), ...(await takeAllExecutions(context))]
  },
}

/** Long conversations from four accounts over 400 connections, in a small heap. */
async function exhaustMemory(context: ScenarioContext): Promise<Check[]> {
  const variables = await slowModel(context, 6, 500)
  const stage = await setStage(context, { variables, nodeArguments: [`--max-old-space-size=${HEAP_MB}`] })
  const { port, url } = stage.server
  const attackers = await othersOf(stage, ATTACKERS)
  const request = toBytes(jsonRequest('POST', probePath(await stage.runtime()), { body: { input: {} } }))
  const quietProbe = startProbeProcess(context, { port, everyMs: 100, request })
  await sleep(context.count(10_000, 2_000))
  const quiet = await quietProbe.stop()
  const busyProbe = startProbeProcess(context, { port, everyMs: 100, request })
  const body = { messages: Array.from({ length: MESSAGES }, () => ({ role: 'user', parts: Array(PARTS).fill(PART) })) }
  const attack = await generate(context, {
    url,
    requests: attackers.map(({ publicKey }) => toLoad(EXECUTE, body, publicKey)),
    connections: context.count(400, 40),
    seconds: context.count(60, 12),
    perSecond: null,
  })
  const busy = await busyProbe.stop()
  const [letIn = 0, refused = 0] = [attack.byStatus['200'], attack.byStatus['429']]
  const quietMs = at(0.99, quiet)
  return [
    exactly('servers alive after long conversations', await lives(stage), 1),
    atLeast('long conversations let in', letIn, 1),
    atLeast('long conversations refused', refused, 1),
    exactly('long conversations answered by other than 200 and 429', answered(attack) - letIn - refused, 0),
    exactly('refusals without Retry-After', attack.withoutRetryAfter, 0),
    counted('long conversations whose connection closed', attack.broken),
    atLeast('calls of another account meanwhile', busy.latenciesMs.length, 20),
    exactly('calls of another account that failed', busy.failures, 0),
    counted('p99 of its calls before', quietMs, 'ms'),
    atMost('p99 of its calls meanwhile', at(0.99, busy), quietMs * P99_FACTOR, 'ms'),
  ]
}

/** Three accounts begin executions until each is refused; then a fourth begins fifty. */
async function takeAllExecutions(context: ScenarioContext): Promise<Check[]> {
  // Three greedy accounts leave an eighth for what the fourth asks.
  const limit = context.count(EXECUTIONS, 10 * OTHERS_CALLS)
  const variables = { ...(await slowModel(context, 50, 2_000)), SVC_LIMIT_EXECUTIONS: String(limit) }
  const stage = await setStage(context, { variables })
  const messages = [{ role: 'user', parts: [PART] }]
  const begin = async ({ publicKey: key }: CreatedRuntime) => {
    const connection = new RawConnection(stage.server.port)
    context.onEnd(() => connection.destroy())
    const headers = [['accept', 'text/event-stream']] as const
    const head = await connection.head(toBytes(jsonRequest('POST', EXECUTE, { key, body: { messages }, headers })))
    return head.startsWith('HTTP/1.1 200') ? 1 : 0
  }
  const beginSome = async (runtime: CreatedRuntime) =>
    sum(await Promise.all(Array.from({ length: OTHERS_CALLS }, () => begin(runtime))))
  const [fourth, ...greedy] = await othersOf(stage, GREEDY + 1)
  if (fourth === undefined) throw new Error('there is no fourth account')
  let taken = 0
  for (let more = 1; more > 0; taken += more) {
    more = 0
    for (const runtime of greedy) more += await beginSome(runtime)
  }
  return [
    counted('executions at once, of all accounts', limit),
    atLeast('of these, held by three greedy accounts', taken, limit / 2),
    exactly(`of a fourth account’s ${OTHERS_CALLS} executions, let in`, await beginSome(fourth), OTHERS_CALLS),
    exactly('servers alive after greedy accounts', await lives(stage), 1),
  ]
}

function slowModel(context: ScenarioContext, pieces: number, everyMs: number): Promise<Record<string, string>> {
  return startTurns(context, [{ text: Array.from({ length: pieces }, () => 'Well. ') }], everyMs)
}

function othersOf(stage: Stage, count: number): Promise<CreatedRuntime[]> {
  return Promise.all(Array.from({ length: count }, (_, serial) => stage.ofOther(`greedy-${serial}@example.com`)))
}

function lives({ server }: Stage): Promise<number> {
  return fetch(`${server.url}/health`).then(
    ({ ok }) => (ok ? 1 : 0),
    () => 0,
  )
}
