import { createClient } from '../support/client.ts'
import { brokerPath } from '../support/environment.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { BROKER_BODY, CAPABILITY } from './bodies.ts'
import { type Candidate, loadTable, type Measured, measureRounds } from './rounds.ts'
import type { Service } from './service.ts'
import { createLoad, type LoadRequest } from './wrk.ts'

const ROUNDS = 5
// V8 compiles a server's code while it is called.
const WARM_UP_SECONDS = 10
export const JSON_TYPE = { 'content-type': 'application/json' }

/** Something that can be called, before it is known how hard. */
export interface Contender extends Pick<Candidate, 'name' | 'cpu'> {
  url: string
  requests: readonly [LoadRequest, ...LoadRequest[]]
}

/** One request to each of these runtimes, in turn. */
export function serviceContender(
  { server, cpu, ...service }: Service,
  requestOf: (runtime: Service['runtimes'][number]) => LoadRequest,
  { name = service.name, runtimes = service.runtimes } = {},
): Contender {
  // Not `map(requestOf)`, which would give it an index as its body.
  const [first, ...rest] = runtimes.map((runtime) => requestOf(runtime))
  if (first === undefined) throw new Error('no runtime has this endpoint')
  return { name, url: server.url, requests: [first, ...rest], cpu }
}

export function brokerCall(runtime: Service['runtimes'][number], body = BROKER_BODY): LoadRequest {
  return { path: brokerPath(runtime, CAPABILITY), headers: JSON_TYPE, body }
}

/** Each is called once first, and its answer looked at: a fast failure must not pass for speed. */
export async function measure(
  context: ScenarioContext,
  contenders: readonly Contender[],
  expected: string,
  { seconds, base, connections = 64 }: { seconds: number; base: string; connections?: number },
): Promise<Measured> {
  context.say(`${contenders.map(({ name }) => name).join(' · ')}: ${connections} at once`)
  for (const { name, url, requests } of contenders) {
    const [{ path, headers, body }] = requests
    const { status, text, connectionError } = await createClient(url, 1).send({ path, headers, text: body })
    if (status !== 200 || !text.includes(expected)) {
      throw new Error(`${name} answers ${status}: ${connectionError ?? text}`)
    }
  }
  const candidates = contenders.map(({ name, cpu, ...load }) => ({
    name,
    cpu,
    load: createLoad(context, { ...load, connections }),
  }))
  for (const candidate of candidates) await candidate.load(context.count(WARM_UP_SECONDS))
  const rounds = { rounds: context.count(ROUNDS), seconds: context.count(seconds) }
  const measured = await measureRounds(candidates, rounds)
  context.table(loadTable(measured, base))
  return measured
}
