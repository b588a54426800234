import { createClient } from '../support/client.ts'
import { startTurns } from '../support/model-double.ts'
import { at, HEALTH, startProbe } from '../support/probe.ts'
import {
  atLeast,
  atMost,
  type Check,
  counted,
  exactly,
  prefixed,
  type Scenario,
  type ScenarioContext,
} from '../support/scenario.ts'
import { startServing } from '../support/serving.ts'
import { addRuntime, capability, saying } from '../support/world.ts'
import { type Stage, setStage } from './stage.ts'

const AT_ONCE = 16
const ROUNDS = 20
const ANSWER_BYTES = 1_000_000
const HEALTH_MS = 250
const TIMES_QUIET = 5
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
    const checks: Check[] = []
    for (const width of WIDTHS)
      checks.push(...prefixed(`${width.values} values: `, await attack(context, stage, width)))
    return checks
  },
}

async function attack(
  context: ScenarioContext,
  stage: Stage,
  { values, expected }: (typeof WIDTHS)[number],
): Promise<Check[]> {
  const { url } = stage.server
  const answer = wideAnswer(values)
  const endpoint = await startServing(context, (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
  )
  const { publicKey: key } = await addRuntime(stage, endpoint, capability('wide'))
  const client = createClient(url, AT_ONCE)
  const execute = async () => {
    const { status, text } = await client.send({
      path: '/v1/runtime/execute',
      key,
      body: { messages: saying('Tell me all.') },
    })
    return status === 200 ? outcomeIn(text) : 'unanswered'
  }
  const all = () => Promise.all(Array.from({ length: AT_ONCE }, execute))
  // Compiled code and open connections before anything is timed.
  await all()
  const quiet = await stage.timeNeighbour(50, context.count(10_000, 1_000))
  const healthy = startProbe(context, { url, everyMs: 20, request: HEALTH })
  const calling = stage.watchNeighbour(50)
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
