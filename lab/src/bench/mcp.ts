import { PROCESSORS, pin, requireTools } from '../support/programs.ts'
import type { Check, Scenario } from '../support/scenario.ts'
import { sum } from '../support/statistics.ts'
import { BROKER_INPUT, CAPABILITY, ENDPOINT_BODY, IN_OUTPUT } from './bodies.ts'
import { brokerCall, measure, serviceContender } from './contenders.ts'
import { startFixedAnswers } from './nginx.ts'
import {
  answeredIn,
  cpuMicroseconds,
  type Measured,
  medianAtLeast,
  medianAtMost,
  noneFailed,
  ratioOf,
} from './rounds.ts'
import { judgeRows, startService } from './service.ts'
import type { LoadRequest } from './wrk.ts'

/** Processor time of a tool's call over that of a broker call. */
const COST_MARK = 1.25
const BROKER = 'broker'
const AGAIN = 'broker, again'
const MCP = 'MCP tools/call'
const NAMES = [BROKER, AGAIN, MCP]
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
    const body = JSON.stringify({ input: BROKER_INPUT })
    const contenders = [
      serviceContender(service, (runtime) => brokerCall(runtime, body), { name: BROKER }),
      serviceContender(service, toolCall, { name: MCP }),
      serviceContender(service, (runtime) => brokerCall(runtime, body), { name: AGAIN }),
    ]
    const measured = await measure(context, contenders, IN_OUTPUT, { seconds: 5, base: BROKER })
    const rows = await judgeRows([service], () => sum(NAMES.map((name) => answeredIn([measured], name))))
    return [...judge(measured), ...rows]
  },
}

function toolCall({ runtimeId }: { runtimeId: string }): LoadRequest {
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

function judge(measured: Measured): Check[] {
  const itself = ratioOf(measured, [AGAIN, BROKER], cpuMicroseconds)
  return [
    medianAtLeast('the broker against itself, CPU per call', itself, 0.8),
    medianAtMost('the broker against itself, CPU per call', itself, 1.25),
    medianAtMost(
      'a call over MCP, CPU over the broker’s',
      ratioOf(measured, [MCP, BROKER], cpuMicroseconds),
      COST_MARK,
    ),
    noneFailed('calls that failed', measured, NAMES),
  ]
}
