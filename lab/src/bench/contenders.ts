import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../support/client.ts'
import { brokerPath } from '../support/environment.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { BROKER_BODY, CAPABILITY } from './bodies.ts'
import { type Cpu, loadTable, type Measured, type Slot } from './rounds.ts'
import type { Service } from './service.ts'
import { createLoad, type LoadRequest } from './wrk.ts'

const ROUNDS = 5
// V8 compiles a server's code while it is called.
const WARM_UP_SECONDS = 10
export const JSON_TYPE = { 'content-type': 'application/json' }

/** Something that can be called, and the processor time that it has taken. */
export interface Contender {
  name: string
  url: string
  requests: readonly [LoadRequest, ...LoadRequest[]]
  cpu(): Cpu
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

/**
 * Lets contenders take turns, A B C, A B C, …, so that a disturbance of the machine hits all of them. Each is called once first,
 * and its answer looked at: a fast failure must not pass for speed.
 */
export async function measure(
  context: ScenarioContext,
  contenders: readonly Contender[],
  expected: string,
  { seconds, base, connections = 64 }: { seconds: number; base: string; connections?: number },
): Promise<Measured> {
  context.say(`${contenders.map(({ name }) => name).join(' · ')}: ${connections} at once`)
  for (const contender of contenders) await tryOut(contender, expected)
  const candidates = contenders.map(({ name, cpu, url, requests }) => {
    const slots: Slot[] = []
    return { name, cpu, load: createLoad(context, { url, requests, connections }), slots }
  })
  for (const { load } of candidates) await load(context.count(WARM_UP_SECONDS))
  for (let round = 0; round < context.count(ROUNDS); round += 1) {
    for (const { cpu, load, slots } of candidates) {
      const before = cpu()
      const result = await load(context.count(seconds))
      // Work that a server put off until then counts as the slot's.
      await sleep(1_000)
      const after = cpu()
      const [processMs, databaseMs] = [after.processMs - before.processMs, after.databaseMs - before.databaseMs]
      slots.push({ ...result, processMs, databaseMs })
    }
  }
  const measured = new Map(candidates.map(({ name, slots }) => [name, slots]))
  context.table(loadTable(measured, base))
  return measured
}

async function tryOut({ name, url, requests: [request] }: Contender, expected: string): Promise<void> {
  const { path, headers, body } = request
  const { status, text, connectionError } = await createClient(url, 1).send({ path, headers, text: body })
  if (status === 200 && text.includes(expected)) return
  throw new Error(`${name} answers ${status}: ${connectionError ?? text}`)
}
