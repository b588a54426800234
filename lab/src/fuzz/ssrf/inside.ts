import type { CreatedRuntime } from '@svc/contract'
import { startNameServer } from '@svc/testkit'
import { type Client, type ClientReply, createClient } from '../../support/client.ts'
import { addRuntime, brokerPath, capability, type Environment, openEnvironment } from '../../support/environment.ts'
import type { Random } from '../../support/random.ts'
import { atLeast, type Check, counted, exactly, none, type ScenarioContext } from '../../support/scenario.ts'
import { forEachAtOnce } from '../../support/within.ts'
import { startCanaries } from './canaries.ts'
import { CANARIES_V4, CANARIES_V6, drawSpellings, PUBLIC_V4, WILDCARD_ZONE } from './spellings.ts'

const SPELLINGS = 500
const REBINDINGS = 10_000
const REBINDING_ZONE = 'rebind.test'
const CONTROL = [`https://${PUBLIC_V4}/svc`, 'https://good.test/svc']
/** Inside in every way: by itself, and as IPv6 that carries or translates IPv4. */
const EMBEDDED = [...CANARIES_V4, ...CANARIES_V6, '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '2001:0:a9fe:a9fe::1']
const CONTROL_EVERY = 50
const CALLERS = 8
/** Fewer than an endpoint is judged by, so that none of them is spared for failing. */
const CALLS_AT_ONE_ADDRESS = 9
const REDIRECTS = ['301', '302', '303', '307', '308', '300', '304', '200', '201']

interface Attack {
  environment: Environment
  client: Client
  canaries: Awaited<ReturnType<typeof startCanaries>>
  random: Random
  /** Calls that the guard never saw, because the endpoint was being spared. */
  spared: number
}

/** Attacks a service of its own in this network namespace: nothing inside is reached, and the public address is. */
export async function attackFromInside(
  context: ScenarioContext,
  { tls, certificateFile }: { tls: { key: string; cert: string }; certificateFile: string },
): Promise<Check[]> {
  const canaries = await startCanaries(context, tls)
  const answers = { random: context.random.fork(), inside: 0 }
  const names = await startNameServer((name, kind) => resolve(answers, name, kind), { port: 53 })
  context.onEnd(names.close)
  const variables = { SVC_ALLOW_LOCAL_ENDPOINTS: '0', NODE_EXTRA_CA_CERTS: certificateFile }
  const environment = await openEnvironment(context, { variables })
  const client = createClient(environment.server.url, CALLERS)
  const attack: Attack = { environment, client, canaries, random: context.random, spared: 0 }
  const awake = await canaries.tryOut(EMBEDDED)
  const checks = [
    exactly('addresses inside that listen, and note a connection', awake, EMBEDDED.length),
    ...(await trySpellings(attack, context.count(SPELLINGS, 20))),
    ...(await tryRedirects(attack)),
    ...(await tryRebinding(attack, context.count(REBINDINGS, 40), answers)),
  ]
  const hits = [...canaries.hits].map(([to, count]) => `${count} to ${to}`)
  return [
    ...checks,
    exactly('dispatches that the guard never saw', attack.spared, 0),
    none('connections to addresses inside', hits),
  ]
}

async function trySpellings(attack: Attack, count: number): Promise<Check[]> {
  const { environment, client, random } = attack
  const runtime = await addRuntime(environment, undefined)
  let [registered, deployed, controlled, reached, dispatched] = [0, 0, 0, 0, 0]
  for (const [index, endpoint] of drawSpellings(count, random).entries()) {
    if (index % CONTROL_EVERY === 0) {
      controlled += CONTROL.length
      reached += await control(attack)
    }
    if (await register(attack, runtime, endpoint)) registered += 1
    const body = { manifest: { schemaVersion: 2, ...capability('act'), endpoint } }
    if (isTaken(await client.send({ path: '/v1/deployments', key: runtime.deployKey, body }))) deployed += 1
    // An address that both refuse is written past them: the guard of the call has to hold by itself.
    else await forceEndpoint(environment, runtime.runtimeId, endpoint)
    await callThrough(attack, runtime)
    dispatched += 1
  }
  return [
    exactly('spellings offered to registration and deployment, and dispatched to', dispatched, count),
    counted('spellings that registration took', registered),
    counted('spellings that deployment took', deployed),
    atLeast('calls to the one address that may be reached', controlled, 1),
    exactly('of these arrived', reached, controlled),
  ]
}

async function forceEndpoint({ store }: Environment, runtimeId: string, endpoint: string): Promise<void> {
  const sql = 'update runtimes set endpoint = ?, revision = revision + 1 where runtime_id = ? returning endpoint'
  const changed = await store.connect(({ rows }) => rows(sql, [endpoint, runtimeId]))
  if (changed.length !== 1) throw new Error(`${runtimeId} is not there`)
}

/** Calls the address that may be reached: an attack that nothing can reach shows nothing. Returns how many arrived. */
async function control(attack: Attack): Promise<number> {
  let reached = 0
  for (const endpoint of CONTROL) {
    const runtime = await addRuntime(attack.environment, endpoint)
    const before = attack.canaries.publicRequests
    const status = await callThrough(attack, runtime)
    if (status === 200 && attack.canaries.publicRequests === before + 1) reached += 1
  }
  return reached
}

async function tryRedirects(attack: Attack): Promise<Check[]> {
  const { environment, canaries } = attack
  const runtime = await addRuntime(environment, undefined)
  let [redirects, reached] = [0, 0]
  for (const status of REDIRECTS) {
    for (const inside of [...CANARIES_V4, ...CANARIES_V6.map((address) => `[${address}]`)]) {
      const to = `${redirects % 2 === 0 ? 'http' : 'https'}://${inside}/latest`
      await register(attack, runtime, `https://${PUBLIC_V4}/redirect/${status}?to=${encodeURIComponent(to)}`)
      const before = canaries.publicRequests
      await callThrough(attack, runtime)
      redirects += 1
      if (canaries.publicRequests === before + 1) reached += 1
    }
  }
  return [
    atLeast('redirects, refreshes and Alt-Svc that led inside', redirects, 1),
    exactly('of these answered by the endpoint itself, once', reached, redirects),
  ]
}

async function tryRebinding(attack: Attack, count: number, answers: { inside: number }): Promise<Check[]> {
  const { environment, canaries } = attack
  const before = canaries.publicRequests
  let calls = 0
  await forEachAtOnce(Array.from({ length: CALLERS }), CALLERS, async (_, caller) => {
    const runtime = await addRuntime(environment, undefined)
    for (let own = 0; calls < count; own += 1) {
      const host = `r${caller}-${Math.floor(own / CALLS_AT_ONE_ADDRESS)}.${REBINDING_ZONE}`
      if (own % CALLS_AT_ONE_ADDRESS === 0) await register(attack, runtime, `https://${host}/svc`)
      calls += 1
      await callThrough(attack, runtime)
    }
  })
  return [
    atLeast('dispatches to names whose answers change', calls, count),
    atLeast('answers that led inside, as a share of these', answers.inside / calls, 0.3),
    atLeast('of these dispatches reached outside', (canaries.publicRequests - before) / calls, 0.2),
  ]
}

/** True where the address was taken. */
async function register(
  { client, environment }: Attack,
  { runtimeId }: CreatedRuntime,
  endpoint: string,
): Promise<boolean> {
  const body = { runtimeId, name: 'Lab', endpoint }
  return isTaken(await client.send({ path: '/v1/runtimes', key: environment.owner.apiKey, body }))
}

function isTaken(reply: ClientReply): boolean {
  if (reply.status === 0 || reply.status >= 500) throw new Error(`no answer: ${JSON.stringify(reply)}`)
  return reply.status < 300
}

/** Lets the service call the runtime's endpoint through the broker. */
async function callThrough(attack: Attack, runtime: CreatedRuntime): Promise<number> {
  const { status, text, connectionError } = await attack.client.send({ path: brokerPath(runtime), body: { input: {} } })
  if (status === 0) throw new Error(`a call broke off: ${connectionError}`)
  if (status === 429 || text.includes('calls to it are paused')) attack.spared += 1
  return status
}

/** Wildcards spell their address; names that change are answered anew each time: outside, inside, or both. */
function resolve(answers: { random: Random; inside: number }, name: string, kind: 'A' | 'AAAA'): readonly string[] {
  const { random } = answers
  if (name === 'good.test') return [PUBLIC_V4]
  if (name.endsWith(`.${WILDCARD_ZONE}`)) return wildcard(name)
  if (!name.endsWith(`.${REBINDING_ZONE}`)) return []
  const inside = kind === 'A' ? random.pick(CANARIES_V4) : random.pick(CANARIES_V6)
  const draw = random.next()
  if (draw >= (kind === 'A' ? 0.5 : 0.05)) return kind === 'A' ? [PUBLIC_V4] : []
  answers.inside += 1
  if (draw < 0.35 || kind === 'AAAA') return [inside]
  return draw < 0.42 ? [PUBLIC_V4, inside] : [inside, PUBLIC_V4]
}

function wildcard(name: string): readonly string[] {
  const v6 = /v6-([0-9a-f-]+)-z\./.exec(name)?.[1]
  if (v6 !== undefined) return [v6.replaceAll('-', ':')]
  const v4 = /(\d+-\d+-\d+-\d+)\./.exec(name)?.[1]
  return v4 === undefined ? [] : [v4.replaceAll('-', '.')]
}
