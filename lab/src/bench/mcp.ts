import { createClient } from '../support/client.ts'
import { requireTools } from '../support/programs.ts'
import { type Check, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { sum } from '../support/statistics.ts'
import { brokerPath } from '../support/world.ts'
import { BROKER_INPUT, CAPABILITY, ENDPOINT_BODY, IN_OUTPUT } from './bodies.ts'
import { startFixedAnswers } from './nginx.ts'
import {
  cpuMicroseconds,
  loadTable,
  type Measured,
  measureRounds,
  medianAtLeast,
  medianAtMost,
  noneFailed,
  PROCESSORS,
  pin,
  ratioOf,
  slotsOf,
} from './rounds.ts'
import { countRows, type Service, startService } from './service.ts'
import { createLoad, type LoadRequest } from './wrk.ts'

const ROUNDS = 5
const SECONDS = 5
const WARM_UP_SECONDS = 8
const CONNECTIONS = 64
/** Processor time of a tool's call over that of a broker call. */
const COST_MARK = 1.25
const BROKER = 'broker'
const AGAIN = 'broker, again'
const MCP = 'MCP tools/call'
const REVISION = '2026-07-28'

export const mcp: Scenario = {
  name: 'mcp',
  title: 'calls over MCP against the same calls through the broker, in turn',
  engines: ['sqlite'],
  async run(context) {
    requireTools(['wrk', 'nginx', 'taskset'], context.env)
    const upstream = await startFixedAnswers(context, { '/svc': { type: 'application/json', body: ENDPOINT_BODY } })
    const endpoints = Array.from({ length: context.count(100, 4) }, () => `${upstream.url}/svc`)
    const options = { engine: 'sqlite', cluster: null, endpoints, modelUrl: upstream.url } as const
    const service = await startService(context, options)
    await pin([service.server.pid], PROCESSORS.servers)
    await pin([upstream.pid], PROCESSORS.rest)
    const measured = await measure(context, service)
    context.table(loadTable(measured, BROKER))
    const stored = await countRows(service, "status = 'completed'")
    return judge(measured, stored)
  },
}

async function measure(context: ScenarioContext, service: Service): Promise<Measured> {
  const candidates = []
  for (const [name, requestOf] of [
    [BROKER, brokerCall],
    [MCP, toolCall],
    [AGAIN, brokerCall],
  ] as const) {
    const [first, ...rest] = service.runtimes.map(requestOf)
    if (first === undefined) throw new Error('there are no runtimes')
    // A fast failure must not pass for speed.
    const { path, headers, body } = first
    const { status, text } = await createClient(service.server.url, 1).send({ path, headers, text: body })
    if (status !== 200 || !text.includes(IN_OUTPUT)) throw new Error(`${name} answers ${status}: ${text}`)
    const load = { url: service.server.url, requests: [first, ...rest] as const, connections: CONNECTIONS }
    candidates.push({ name, cpu: service.cpu, load: createLoad(context, load) })
  }
  for (const { load } of candidates) await load(context.count(WARM_UP_SECONDS))
  return measureRounds(candidates, { rounds: context.count(ROUNDS), seconds: context.count(SECONDS) })
}

type Runtime = Service['runtimes'][number]

function brokerCall(runtime: Runtime): LoadRequest {
  return {
    path: brokerPath(runtime, CAPABILITY),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: BROKER_INPUT }),
  }
}

function toolCall({ runtimeId }: Runtime): LoadRequest {
  const params = {
    name: CAPABILITY,
    arguments: BROKER_INPUT,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  return {
    path: `/v1/mcp/${runtimeId}`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': CAPABILITY,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
}

function judge(measured: Measured, stored: number): Check[] {
  const itself = ratioOf(measured, [AGAIN, BROKER], cpuMicroseconds)
  const names = [...measured.keys()]
  const answered = sum(names.flatMap((name) => slotsOf(measured, name).map(({ requests }) => requests)))
  return [
    medianAtLeast('the broker against itself, CPU per call', itself, 0.8),
    medianAtMost('the broker against itself, CPU per call', itself, 1.25),
    medianAtMost(
      'a call over MCP, CPU over the broker’s',
      ratioOf(measured, [MCP, BROKER], cpuMicroseconds),
      COST_MARK,
    ),
    noneFailed('calls that failed', measured, names),
    exactly('answered calls that are not stored', Math.max(0, answered - stored), 0),
  ]
}
