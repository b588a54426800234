import { setTimeout as sleep } from 'node:timers/promises'
import { deploy } from '../../support/owner.ts'
import { usageOf } from '../../support/process-usage.ts'
import type { Check, Scenario, ScenarioContext } from '../../support/scenario.ts'
import { startLeanModel } from '../support/lean-model.ts'
import { HEALTH, startProbe } from '../support/probe.ts'
import { jsonRequest, toBytes } from '../support/raw-request.ts'
import { setStage } from '../support/stage.ts'
import { judgeSlow, KEPT_MS } from './judge-slow.ts'
import { openSlowly, type SlowConnection, type SlowKind } from './slow-connection.ts'

/** A thousand at full scale. Of the kinds that take a minute to end there is none in a quick look. */
const COUNTS: readonly (readonly [kind: SlowKind, full: number, min: number])[] = [
  ['headers', 300, 5],
  ['body', 300, 0],
  ['silent', 140, 5],
  ['kept alive', 140, 0],
  ['reader', 120, 0],
]
const OPENED_AT_ONCE = 50
const BETWEEN_MS = 250
const LOOK_EVERY_MS = 500
/** Whoever stands still while there is something to read is seen within 30 to 60 s. */
const READER_MS = 100_000
/** Ten times what a model may say in one execution. */
const STREAM_PIECES = 100
const PIECE_EVERY_MS = 250
const PIECE = 'x'.repeat(50_000)

/** Connections that are slow in every way, while others want to be served. */
export const slowClients: Scenario = {
  name: 'slow-clients',
  title: 'a thousand slow connections keep nobody else from being served',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const model = await startLeanModel({ text: Array.from({ length: STREAM_PIECES }, () => PIECE) }, PIECE_EVERY_MS)
    context.onEnd(() => model.close())
    const variables = { SVC_MODEL: 'openai-compatible:lean', SVC_MODEL_BASE_URL: model.baseUrl }
    const stage = await setStage(context, { variables })
    const runtime = await stage.runtime('Shop')
    await deploy(stage.server.url, runtime, ['probe'])
    const { port, pid } = stage.server
    const longAnswer = toBytes(executeRequest(runtime.publicKey))
    const call = toBytes(jsonRequest('POST', `/v1/capabilities/${runtime.runtimeId}/probe`, { body: { input: {} } }))
    const before = usageOf(pid).residentBytes
    const probes = [
      startProbe({ port, everyMs: 100, request: HEALTH }),
      startProbe({ port, everyMs: 200, request: call }),
    ] as const
    const connections = await openAll(context, (kind) => openSlowly(kind, { port, longAnswer }))
    const mostBytes = await watchUntilOver(connections, () => usageOf(pid).residentBytes)
    const [health, calls] = await Promise.all(probes.map((probe) => probe.stop()))
    if (health === undefined || calls === undefined) throw new Error('there was no probe')
    const executions = await stage.store.query("select status from executions where kind = 'execute'")
    for (const connection of connections) connection.end()
    return judgeSlow({
      connections,
      readers: connections.filter(({ kind }) => kind === 'reader').length,
      readersEnded: executions.filter(({ status }) => status !== 'running').length,
      health,
      calls,
      grownMb: (mostBytes - before) / 1024 / 1024,
    })
  },
}

function executeRequest(key: string) {
  const body = { messages: [{ role: 'user', parts: [{ type: 'text', content: 'Tell me all.' }] }] }
  return jsonRequest('POST', '/v1/runtime/execute', { key, body, headers: [['accept', 'text/event-stream']] })
}

async function openAll(context: ScenarioContext, open: (kind: SlowKind) => SlowConnection): Promise<SlowConnection[]> {
  const kinds = COUNTS.flatMap(([kind, full, min]) => Array.from({ length: context.count(full, min) }, () => kind))
  const connections: SlowConnection[] = []
  for (const [index, kind] of kinds.entries()) {
    if (index > 0 && index % OPENED_AT_ONCE === 0) await sleep(BETWEEN_MS)
    connections.push(open(kind))
  }
  context.say(`${connections.length} connections are slow`)
  return connections
}

/** Waits until every connection is closed, or its time and a little more is over. Returns the most of what was looked at. */
async function watchUntilOver(connections: readonly SlowConnection[], look: () => number): Promise<number> {
  const waitMs = Math.max(...connections.map(({ kind }) => (kind === 'reader' ? READER_MS : KEPT_MS[kind])))
  const endsAt = performance.now() + waitMs + 2_000
  let most = look()
  const isOver = () => connections.every(({ kind, closedAt }) => kind !== 'reader' && closedAt !== null)
  while (performance.now() < endsAt && !isOver()) {
    await sleep(LOOK_EVERY_MS)
    most = Math.max(most, look())
  }
  return most
}
