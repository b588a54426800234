import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../support/client.ts'
import { at, HEALTH, startProbeProcess } from '../support/probe.ts'
import { jsonRequest, toBytes } from '../support/raw.ts'
import {
  atLeast,
  atMost,
  type Check,
  counted,
  exactly,
  type Scenario,
  type ScenarioContext,
} from '../support/scenario.ts'
import { startServing, startTurns } from '../support/serving.ts'
import { addRuntime, capability } from '../support/world.ts'
import { probePath, type Stage, setStage } from './stage.ts'

const AT_ONCE = 16
const ROUNDS = 20
const ANSWER_BYTES = 1_000_000
const HEALTH_MS = 250
const TIMES_QUIET = 5
const MESSAGES = [{ role: 'user', parts: [{ type: 'text', content: 'Tell me all.' }] }]
/** Past the number of values that the service accepts in an answer, and just within it. */
const WIDTHS = [
  { values: 90_000, expected: 'refused' },
  { values: 49_900, expected: 'accepted' },
] as const

export const wideAnswers: Scenario = {
  name: 'wide-answers',
  title: 'capability answers with many values hold up no other account',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const variables = await startTurns(context, [
      { toolCalls: [{ name: 'wide', input: {} }] },
      { text: 'That is much.' },
    ])
    const stage = await setStage(context, { variables })
    const neighbour = probePath(await stage.ofOther('neighbour@example.com'))
    const call = toBytes(jsonRequest('POST', neighbour, { body: { input: {} } }))
    const checks: Check[] = []
    for (const width of WIDTHS) {
      const found = await attack(context, { stage, call, ...width })
      checks.push(...found.map((check) => ({ ...check, what: `${width.values} values: ${check.what}` })))
    }
    return checks
  },
}

type Attack = (typeof WIDTHS)[number] & { stage: Stage; call: Buffer }

async function attack(context: ScenarioContext, { stage, call, values, expected }: Attack): Promise<Check[]> {
  const { url, port } = stage.server
  const answer = wideAnswer(values)
  const endpoint = await startServing(context, (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
  )
  const { publicKey: key } = await addRuntime(stage, endpoint, capability('wide'))
  const client = createClient(url, AT_ONCE)
  context.onEnd(() => client.close())
  const execute = async () => {
    const heard = await client.send({ method: 'POST', path: '/v1/runtime/execute', key, body: { messages: MESSAGES } })
    return heard.kind === 'answer' && heard.status === 200 ? outcomeIn(heard.text) : 'unanswered'
  }
  const all = () => Promise.all(Array.from({ length: AT_ONCE }, execute))
  // Compiled code and open connections before anything is timed.
  await all()
  const quietly = startProbeProcess(context, { port, everyMs: 50, request: call })
  await sleep(context.count(10_000, 1_000))
  const quiet = await quietly.stop()
  const healthy = startProbeProcess(context, { port, everyMs: 20, request: HEALTH })
  const calling = startProbeProcess(context, { port, everyMs: 50, request: call })
  const outcomes: string[] = []
  for (let round = 0; round < context.count(ROUNDS, 4); round += 1) outcomes.push(...(await all()))
  const [health, calls] = [await healthy.stop(), await calling.stop()]
  return [
    counted('executes', outcomes.length),
    exactly(`answers that were not ${expected}`, outcomes.filter((outcome) => outcome !== expected).length, 0),
    atLeast('health checks meanwhile', health.latenciesMs.length, 20),
    exactly('health checks that failed', health.failures, 0),
    atMost('slowest /health', at(1, health), HEALTH_MS, 'ms'),
    exactly('calls of another account that failed', calls.failures + quiet.failures, 0),
    counted('p99 of another account’s calls, quiet', at(0.99, quiet), 'ms'),
    atMost('p99 of another account’s calls meanwhile', at(0.99, calls), TIMES_QUIET * at(0.99, quiet), 'ms'),
  ]
}

/** So many values, the answer's own three among them, filled up to a megabyte. */
function wideAnswer(values: number): string {
  const keys = Array.from({ length: values - 3 }, (_, index) => `"${index.toString(36)}":1`)
  const filled = `{"output":{${keys.join(',')},"fill":""}}`
  return filled.replace('"fill":""', `"fill":"${'x'.repeat(Math.max(0, ANSWER_BYTES - filled.length))}"`)
}

// Read without being parsed: this process has others to time.
function outcomeIn(text: string): string {
  if (text.includes('"error":{"message":"The endpoint gave an answer with more than')) return 'refused'
  return text.includes('"output":{"0":1') ? 'accepted' : 'something else'
}
