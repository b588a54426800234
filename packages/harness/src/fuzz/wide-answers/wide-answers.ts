import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnFreePort } from '@svc/testkit'
import { createClient } from '../../support/client.ts'
import { createOwner, deploy, registerRuntime } from '../../support/owner.ts'
import type { Check, Scenario, ScenarioContext } from '../../support/scenario.ts'
import { HEALTH } from '../support/probe.ts'
import { startQuickModel } from '../support/quick-model.ts'
import { jsonRequest, toBytes } from '../support/raw-request.ts'
import { type Stage, setStage } from '../support/stage.ts'
import { startProbeProcess } from '../support/start-probe-process.ts'
import { judgeWide, type WideRun } from './judge-wide.ts'

const AT_ONCE = 16
const ROUNDS = 20
const QUIET_MS = 10_000
const HEALTH_EVERY_MS = 20
const CALL_EVERY_MS = 50
const ANSWER_BYTES = 1_000_000
/** Past what the service accepts of an answer, and just within it. */
const WIDTHS = [
  { values: 90_000, isAccepted: false },
  { values: 49_900, isAccepted: true },
] as const

/** Answers of a megabyte with as many keys as fit, sixteen executes at once, while others want to be served. */
export const wideAnswers: Scenario = {
  name: 'wide-answers',
  title: 'capability answers with many values hold up nobody else',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const model = await startQuickModel([{ toolCalls: [{ name: 'wide', input: {} }] }, { text: 'That is much.' }])
    context.onEnd(() => model.close())
    const variables = { SVC_MODEL: 'openai-compatible:quick', SVC_MODEL_BASE_URL: model.baseUrl }
    const stage = await setStage(context, { variables })
    const call = await neighbourCall(stage)
    const checks: Check[] = []
    for (const width of WIDTHS) checks.push(...judgeWide(await attack(context, { stage, call, width })))
    return checks
  },
}

interface Attack {
  stage: Stage
  /** Another tenant's call. */
  call: Buffer
  width: Pick<WideRun, 'values' | 'isAccepted'>
}

async function attack(context: ScenarioContext, { stage, call, width }: Attack): Promise<WideRun> {
  const { url, port } = stage.server
  const endpoint = await startWideEndpoint(width.values)
  context.onEnd(() => endpoint.close())
  const runtime = await registerRuntime(url, stage.owner, { name: `Wide ${width.values}`, endpoint: endpoint.url })
  await deploy(url, runtime, ['wide'])
  const client = createClient(url, AT_ONCE)
  context.onEnd(() => client.close())
  const execute = async () => {
    const body = { messages: [{ role: 'user', parts: [{ type: 'text', content: 'Tell me all.' }] }] }
    const heard = await client.send({ method: 'POST', path: '/v1/runtime/execute', key: runtime.publicKey, body })
    return heard.kind === 'answer' && heard.status === 200 ? outcomeIn(heard.text) : null
  }
  // Compiled code and open connections before anything is timed.
  await Promise.all(Array.from({ length: AT_ONCE }, execute))
  const quietly = startProbeProcess(context, { port, everyMs: CALL_EVERY_MS, request: call })
  await sleep(context.count(QUIET_MS, 1_000))
  const quiet = await quietly.stop()
  const health = startProbeProcess(context, { port, everyMs: HEALTH_EVERY_MS, request: HEALTH })
  const calls = startProbeProcess(context, { port, everyMs: CALL_EVERY_MS, request: call })
  const outcomes: WideRun['outcomes'][number][] = []
  for (let round = 0; round < context.count(ROUNDS, 4); round += 1) {
    outcomes.push(...(await Promise.all(Array.from({ length: AT_ONCE }, execute))))
  }
  return { ...width, outcomes, quiet, health: await health.stop(), calls: await calls.stop() }
}

/** A stranger's call of a capability of another account's. */
async function neighbourCall({ options, server, endpoint }: Stage): Promise<Buffer> {
  const owner = await createOwner(options, 'neighbour@example.com', 'enterprise')
  const runtime = await registerRuntime(server.url, owner, { name: 'Neighbour', endpoint: endpoint.url })
  await deploy(server.url, runtime, ['probe'])
  return toBytes(jsonRequest('POST', `/v1/capabilities/${runtime.runtimeId}/probe`, { body: { input: {} } }))
}

async function startWideEndpoint(values: number) {
  const answer = wideAnswer(values)
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer))
  })
  const { url, close } = await listenOnFreePort(server)
  return { url: `${url}/svc`, close }
}

/** So many keys of an object, filled up to a megabyte, and an answer's three values around them. */
function wideAnswer(values: number): Buffer {
  const keys = Array.from({ length: values - 3 }, (_, index) => `"${index.toString(36)}":1`)
  const filled = `{"output":{${keys.join(',')},"fill":""}}`
  return Buffer.from(filled.replace('"fill":""', `"fill":"${'x'.repeat(Math.max(0, ANSWER_BYTES - filled.length))}"`))
}

// Read without being parsed: this process has others to time.
function outcomeIn(text: string): 'accepted' | 'refused' | null {
  if (text.includes('"error":{"message":"The endpoint gave an answer with more than')) return 'refused'
  return text.includes('"output":{"0":1') ? 'accepted' : null
}
