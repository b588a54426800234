import { join } from 'node:path'
import type { ScenarioContext } from '../../support/scenario.ts'
import type { Placement } from '../load/pinning.ts'
import type { Candidate, Cpu } from '../load/rounds.ts'
import type { BenchProgram } from '../load/start-program.ts'
import { type LoadRequest, runWrk, writeScript } from '../load/wrk.ts'
import { CAPABILITY, cpuOf, type Service } from '../service/service.ts'
import { BROKER_BODY, CHAT_BODY, EXECUTE_BODY } from './bodies.ts'
import { ENDPOINT_PATH, WHOLE_PREFIX } from './field.ts'
import { NAMES } from './names.ts'
import { peerHeaders } from './portkey.ts'

/** Something that can be called, before it is known how hard. */
export interface Contender {
  name: string
  url: string
  requests: readonly [LoadRequest, ...LoadRequest[]]
  cpu(): Cpu
}

const JSON_TYPE = { 'content-type': 'application/json' }

export function proxyContender(name: string, { url, pid }: { url: string; pid: number }): Contender {
  const request = { path: ENDPOINT_PATH, headers: JSON_TYPE, body: BROKER_BODY }
  return { name, url, requests: [request], cpu: () => cpuOf(pid) }
}

/** A stranger's calls, over all runtimes whose endpoint begins so. */
export function brokerContender(name: string, service: Service, endpointUrl: string): Contender {
  const requests = service.runtimes
    .filter(({ endpoint }) => endpoint.startsWith(endpointUrl))
    .map(({ runtimeId }) => ({
      path: `/v1/capabilities/${runtimeId}/${CAPABILITY}`,
      headers: JSON_TYPE,
      body: BROKER_BODY,
    }))
  return { name, url: service.server.url, requests: nonEmpty(requests), cpu: service.cpu }
}

/** Executes of one step: the model answers in words and asks for nothing. */
export function executeContender(name: string, service: Service): Contender {
  const requests = service.runtimes.map(({ publicKey }) => ({
    path: '/v1/runtime/execute',
    headers: { ...JSON_TYPE, authorization: `Bearer ${publicKey}` },
    body: EXECUTE_BODY,
  }))
  return { name, url: service.server.url, requests: nonEmpty(requests), cpu: service.cpu }
}

/**
 * The peer's chat proxy. It is asked for its answer in one body: this version of it answers a request for a stream with
 * 500 on Node 20, where it adds to headers that cannot be changed.
 */
export function peerContender({ url, pid }: BenchProgram, upstreamUrl: string): Contender {
  const headers = peerHeaders(`${upstreamUrl}${WHOLE_PREFIX}`)
  const request = { path: '/v1/chat/completions', headers, body: CHAT_BODY }
  return { name: NAMES.peer, url, requests: [request], cpu: () => cpuOf(pid) }
}

/** Sets contenders up for rounds at so many connections. */
export function candidatesOf(
  context: Pick<ScenarioContext, 'env'>,
  contenders: readonly Contender[],
  how: { folder: string; connections: number; placement: Placement },
): Candidate[] {
  return contenders.map(({ name, url, requests, cpu }) => {
    const script = join(how.folder, `${name.replaceAll(/\W+/g, '-')}.lua`)
    writeScript(script, requests)
    const run = { url, script, connections: how.connections, processors: how.placement.rest, env: context.env }
    return { name, cpu, load: (seconds) => runWrk({ ...run, seconds }) }
  })
}

function nonEmpty<T>([first, ...rest]: readonly T[]): [T, ...T[]] {
  if (first === undefined) throw new Error('no runtime has this endpoint')
  return [first, ...rest]
}
