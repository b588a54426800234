import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedRuntime } from '@svc/contract'
import { createOwner, deploy, registerRuntime } from '../../support/owner.ts'
import { usageOf } from '../../support/process-usage.ts'
import type { Check, Scenario, ScenarioContext } from '../../support/scenario.ts'
import { generate } from '../overload/generate.ts'
import { startLeanModel } from '../support/lean-model.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { jsonRequest, toBytes } from '../support/raw-request.ts'
import { type Stage, setStage } from '../support/stage.ts'
import { startProbeProcess } from '../support/start-probe-process.ts'
import { judgeGreed, judgeMemory } from './judge-fairness.ts'

const HEAP_MB = 512
const ATTACKERS = 4
const CONNECTIONS = 400
const ATTACK_MS = 60_000
const QUIET_MS = 10_000
const CALL_EVERY_MS = 100
/** 0.9 MB, most of it structure. */
const MESSAGES = 190
const PARTS = 78
const PART = { type: 'text', content: 'It is a red shoe of size 42.' }
const EXECUTE = '/v1/runtime/execute'
const EXECUTIONS = 2_000
const GREEDY = 3
const OTHERS_CALLS = 50
const SENT_AT_ONCE = 50

/** Accounts that take all they can, of memory and of executions, beside one that wants little. */
export const fairness: Scenario = {
  name: 'fairness',
  title: 'accounts that take all they can end no process and keep no other account out',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    return [...(await exhaustMemory(context)), ...(await takeAllExecutions(context))]
  },
}

/** Long conversations from four accounts over 400 connections, in a small heap. */
async function exhaustMemory(context: ScenarioContext): Promise<Check[]> {
  const stage = await setSlowStage(context, { pieces: 6, everyMs: 500 }, [`--max-old-space-size=${HEAP_MB}`])
  const { port, pid } = stage.server
  const attackers = await runtimesOf(stage, ATTACKERS)
  const victim = await stage.runtime('Shop')
  await deploy(stage.server.url, victim, ['probe'])
  const call = toBytes(jsonRequest('POST', `/v1/capabilities/${victim.runtimeId}/probe`, { body: { input: {} } }))
  const probe = () => startProbeProcess(context, { port, everyMs: CALL_EVERY_MS, request: call })
  const quietProbe = probe()
  await sleep(context.count(QUIET_MS, 2_000))
  const quiet = await quietProbe.stop()
  const busyProbe = probe()
  const body = { messages: Array.from({ length: MESSAGES }, () => ({ role: 'user', parts: Array(PARTS).fill(PART) })) }
  const attack = await generate(context, {
    port,
    requests: attackers.map(({ publicKey: key }) =>
      toBytes(jsonRequest('POST', EXECUTE, { key, body })).toString('latin1'),
    ),
    connections: context.count(CONNECTIONS, 40),
    durationMs: context.count(ATTACK_MS, 12_000),
    perSecond: null,
  })
  const busy = await busyProbe.stop()
  const isAlive = await lives(stage)
  context.say(`attackers’ answers by status: ${JSON.stringify(attack.byStatus)}, without an answer ${attack.broken}`)
  const residentMb = isAlive ? usageOf(pid).residentBytes / 1024 / 1024 : Number.NaN
  return judgeMemory({ attack, quiet, busy, isAlive, residentMb })
}

/** Three accounts begin executions until each is refused; then a fourth begins fifty. */
async function takeAllExecutions(context: ScenarioContext): Promise<Check[]> {
  // Three greedy accounts leave an eighth for what the fourth asks.
  const limit = context.count(EXECUTIONS, 10 * OTHERS_CALLS)
  const variables = { SVC_LIMIT_EXECUTIONS: String(limit) }
  const stage = await setSlowStage(context, { pieces: 50, everyMs: 2_000 }, [], variables)
  const connections: RawConnection[] = []
  context.onEnd(() => {
    for (const connection of connections) connection.destroy()
  })
  const begin = ({ publicKey: key }: CreatedRuntime) => {
    const connection = new RawConnection(stage.server.port)
    connections.push(connection)
    return begun(connection, toBytes(jsonRequest('POST', EXECUTE, { key, body: SMALL, headers: STREAMED })))
  }
  const beginSome = async (runtime: CreatedRuntime, count: number) =>
    (await Promise.all(Array.from({ length: count }, () => begin(runtime)))).filter(Boolean).length
  const [fourth, ...greedy] = await runtimesOf(stage, GREEDY + 1)
  if (fourth === undefined) throw new Error('there is no fourth account')
  const taken = greedy.map(() => 0)
  for (let isOver = false; !isOver; ) {
    isOver = true
    for (const [index, runtime] of greedy.entries()) {
      const some = await beginSome(runtime, SENT_AT_ONCE)
      taken[index] = (taken[index] ?? 0) + some
      if (some > 0) isOver = false
    }
  }
  context.say(`of ${limit} executions, three accounts hold ${taken.join(', ')}`)
  const letIn = await beginSome(fourth, OTHERS_CALLS)
  return judgeGreed({ taken, letIn, asked: OTHERS_CALLS, limit, isAlive: await lives(stage) })
}

const SMALL = { messages: [{ role: 'user', parts: [PART] }] }
const STREAMED: [string, string][] = [['accept', 'text/event-stream']]

/** Whether an execution was let in: its stream begins, or its refusal comes. */
async function begun(connection: RawConnection, request: Buffer): Promise<boolean> {
  const head = await connection.head(request)
  return head.startsWith('HTTP/1.1 200')
}

function setSlowStage(
  context: ScenarioContext,
  model: { pieces: number; everyMs: number },
  nodeArguments: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  return startLeanModel({ text: Array.from({ length: model.pieces }, () => 'Well. ') }, model.everyMs).then((slow) => {
    context.onEnd(() => slow.close())
    const ofModel = { SVC_MODEL: 'openai-compatible:lean', SVC_MODEL_BASE_URL: slow.baseUrl }
    return setStage(context, { nodeArguments, variables: { ...ofModel, ...variables } })
  })
}

/** One runtime each of so many accounts, whose quotas and rates are not what refuses them. */
async function runtimesOf(stage: Stage, count: number): Promise<CreatedRuntime[]> {
  const runtimes: CreatedRuntime[] = []
  for (let serial = 0; serial < count; serial += 1) {
    const owner = await createOwner(stage.options, `greedy-${serial}@example.com`, 'enterprise')
    runtimes.push(await registerRuntime(stage.server.url, owner, { name: 'Greedy', endpoint: stage.endpoint.url }))
  }
  return runtimes
}

async function lives({ server }: Stage): Promise<boolean> {
  return fetch(`${server.url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}
