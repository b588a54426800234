import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { CreatedRuntime } from '@svc/contract'
import { z } from 'zod'
import { type Client, type ClientReply, createClient, parsed } from '../support/client.ts'
import {
  addRuntime,
  brokerPath,
  capability,
  createOwner,
  type Environment,
  type LabOwner,
  openEnvironment,
} from '../support/environment.ts'
import { encodeTurn, startModelDouble } from '../support/model-double.ts'
import { at, startProbe } from '../support/probe.ts'
import { usageOf } from '../support/process-usage.ts'
import { atLeast, atMost, type Check, exactly, none, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { NO_LOOP_DELAY_LIMIT } from '../support/server.ts'
import { median, sum } from '../support/statistics.ts'
import { forEachAtOnce, PROGRAM_MS, within } from '../support/within.ts'
import { CALL_INVARIANTS, invariantChecks, judgeCalls } from './checker.ts'
import { type EndpointBehaviour, FAULTS, isFault } from './endpoint-behaviours.ts'
import { taggedBody } from './executes.ts'
import { readCalls, reconciledWithin, runningAfter, type StoredCall } from './rows.ts'

const CALLS_AT_ONCE = 200
/** Fewer than the ten after which calls to a failing endpoint are paused: every call is to meet its fault. */
const CALLS_PER_RUNTIME = 8
const DEADLINE_MS = 3_000
// Bounds a call whose own limit is not kept.
const EXECUTION_MS = 15_000
const IDLE_MS = 15_000
const LATE_S = DEADLINE_MS / 1_000 + 1
const MEMORY_GROWTH_MB = 150
const P99_FACTOR = 2
/** A question may find the calls of its runtime paused; the one after it comes within ten minutes. */
const RECONCILED_MS = 720_000
const ROUTES = ['broker', 'capability', 'execute'] as const
type Route = (typeof ROUTES)[number]

const ASKING = encodeTurn({ toolCalls: [{ name: 'act' }] })
const DONE = encodeTurn({ text: 'Done.' })

export const endpointFaults: Scenario = {
  name: 'endpoint-faults',
  title: 'Calls to any misbehaving endpoint end in time and in form, and other tenants do not feel it',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const double = await startModelDouble(context, ({ index }) => ({ turn: index === 0 ? ASKING : DONE, pauseMs: 0 }))
    const endpoint = await startEndpoint(context)
    const count = context.count(CALLS_AT_ONCE, CALLS_PER_RUNTIME)
    const limits = { SVC_LIMIT_DISPATCH_MS: String(DEADLINE_MS), SVC_LIMIT_EXECUTION_MS: String(EXECUTION_MS) }
    const environment = await openEnvironment(context, {
      variables: { ...NO_LOOP_DELAY_LIMIT, ...double.variables, ...limits },
    })
    const owners: LabOwner[] = []
    while (owners.length < Math.ceil(count / CALLS_PER_RUNTIME)) {
      owners.push(await createOwner(environment.options, `owner-${owners.length}@example.com`, 'enterprise'))
    }
    const client = createClient(environment.server.url, count)
    const setup: Setup = { environment, owners, client, count, endpoint }
    // At an endpoint of its own: the other thread is busy with faults, and half a second late.
    const tenantEndpoint = await startEndpoint(context)
    const tenant = await addRuntime(environment, `${tenantEndpoint.url}/good/tenant`)
    const { url } = environment.server
    const request = { path: brokerPath(tenant), body: { input: {} } }
    const probe = () => startProbe(context, { url, everyMs: 50, request })
    const good = await runRounds(setup, ['good', 'slow'], 'warm')
    const idling = probe()
    await pause(context.count(IDLE_MS, 5_000))
    const idle = await idling.stop()
    const calm = probe()
    good.push(...(await runRounds(setup, ['good', 'slow', 'good', 'slow'], 'calm')))
    const baseline = await calm.stop()
    const beside = probe()
    const bad = await runRounds(setup, Object.keys(FAULTS).filter(isFault), 'bad')
    const probes = await beside.stop()
    const left = await runningAfter(environment.store, 10_000)
    await reconciledWithin(environment.store, RECONCILED_MS)
    const effects = new Map([...(await endpoint.effects()), ...(await tenantEndpoint.effects())])
    const mostMb = (rounds: readonly Round[]) => Math.max(...rounds.map(({ residentMb }) => residentMb))
    const grownMb = mostMb(bad) - mostMb(good)
    return [
      ...judgeRounds(bad, good),
      exactly('requests at the address of the redirect', (await endpoint.requests()).get('/target/0') ?? 0, 0),
      atMost('memory beyond that of well-behaved rounds', grownMb, MEMORY_GROWTH_MB, 'MB'),
      exactly('calls of the other tenant that failed', sum([idle, baseline, probes].map((one) => one.failures)), 0),
      atMost('its p99 against well-behaved rounds', at(0.99, probes) / at(0.99, baseline), P99_FACTOR, '×'),
      atMost('its p99 against an idle server', at(0.99, probes) / at(0.99, idle), P99_FACTOR, '×'),
      exactly('executions left `running`', left, 0),
      ...judgeEffects([...good, ...bad], await readCalls(environment.store), effects),
    ]
  },
}

/** In a thread of its own, so that it does not block this one. */
async function startEndpoint({ onEnd }: ScenarioContext) {
  const worker = new Worker(new URL('./endpoint-thread.js', import.meta.url))
  onEnd(() => worker.terminate())
  const next = () => within(once(worker, 'message'), PROGRAM_MS, 'a thread to answer')
  const [port] = await next()
  const ask = async (what: 'hits' | 'effects'): Promise<Map<string, number>> => {
    worker.postMessage(what)
    const [counts] = await next()
    return new Map(counts)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    /** Calls that reached it, by their path. */
    requests: () => ask('hits'),
    /** How often each call had its effect, by call id. */
    effects: () => ask('effects'),
  }
}

interface Setup {
  environment: Environment
  /** Each has one runtime in every round. An account has so many unknown calls asked about in a second. */
  owners: readonly LabOwner[]
  client: Client
  count: number
  endpoint: Awaited<ReturnType<typeof startEndpoint>>
}

/** Concurrent calls to one endpoint over one route. */
export interface Round {
  behaviour: EndpointBehaviour
  route: Route
  /** Status 0 for no answer. */
  calls: readonly { status: number; text: string; tookMs: number }[]
  /** Of these, how many reached the endpoint. */
  requests: number
  residentMb: number
}

async function runRounds(setup: Setup, behaviours: readonly EndpointBehaviour[], name: string): Promise<Round[]> {
  const rounds: Round[] = []
  for (const [index, behaviour] of behaviours.entries())
    for (const route of ROUTES) rounds.push(await runRound(setup, { behaviour, route, name: `${name}${index}` }))
  return rounds
}

/** Makes all calls concurrently, to new runtimes whose endpoint behaves in one way. */
async function runRound(
  { environment, owners, client, count, endpoint }: Setup,
  { behaviour, route, name }: { behaviour: EndpointBehaviour; route: Route; name: string },
): Promise<Round> {
  const path = `/${behaviour}/${name}-${route}`
  // They stay there, so that the endpoint is asked about unknown calls where it got them.
  const runtimes: CreatedRuntime[] = []
  const manifest = { ...capability('act'), reconcile: true }
  await forEachAtOnce(owners, 4, async (owner) => {
    runtimes.push(await addRuntime({ server: environment.server, owner }, `${endpoint.url}${path}`, manifest))
  })
  let residentMb = 0
  const look = () => {
    residentMb = Math.max(residentMb, usageOf(environment.server.pid).residentBytes / 1024 / 1024)
  }
  const looking = setInterval(look, 100)
  const callOnce = async (_: unknown, index: number): Promise<Round['calls'][number]> => {
    const { runtimeId = '', publicKey: key = '' } = runtimes[Math.floor(index / CALLS_PER_RUNTIME)] ?? {}
    const startedAt = performance.now()
    const { status, text } = await send(client, {
      route,
      runtimeId,
      key,
      tag: `${name}-${behaviour}-${route}-${index}`,
    })
    return { status, text, tookMs: performance.now() - startedAt }
  }
  const calls = await Promise.all(Array.from({ length: count }, callOnce))
  const requests = (await endpoint.requests()).get(path) ?? 0
  clearInterval(looking)
  look()
  return { behaviour, route, calls, requests, residentMb }
}

interface Call {
  route: Route
  runtimeId: string
  key: string
  tag: string
}

function send(client: Client, { route, runtimeId, key, tag }: Call): Promise<ClientReply> {
  const input = {}
  if (route === 'broker') return client.send({ path: brokerPath({ runtimeId }), body: { input } })
  if (route === 'execute') return client.send({ path: '/v1/runtime/execute', key, body: taggedBody(tag) })
  return client.send({ path: '/v1/runtime/capability', key, body: { capability: 'act', input } })
}

/** Each bad call must fail with a promised message and in time, each good one must succeed. */
export function judgeRounds(bad: readonly Round[], good: readonly Round[]): Check[] {
  const badCalls = bad.flatMap(({ calls, behaviour, route }) => calls.map((call) => ({ ...call, behaviour, route })))
  // Concurrent calls wait for each other: the time of good calls, in this run and over this route.
  const ownMs = (route: Route) => {
    const rounds = good.filter((round) => round.behaviour === 'good' && round.route === route)
    return median(rounds.flatMap(({ calls }) => calls.map(({ tookMs }) => tookMs))) || 0
  }
  const besides = badCalls.map(({ tookMs, route }) => (tookMs - ownMs(route)) / 1_000)
  const misshapen = badCalls.filter(({ behaviour, route, status, text }) => {
    const promised: readonly string[] = isFault(behaviour) ? FAULTS[behaviour].messages : []
    return status !== (route === 'broker' ? 502 : 200) || !promised.includes(messageOf(route, text) ?? '')
  })
  const failed = good.flatMap(({ calls, route }) =>
    calls.filter(({ status, text }) => status !== 200 || messageOf(route, text) !== null || !/A-1001/.test(text)),
  )
  return [
    atLeast('calls that met their fault', (100 * sum(bad.map(({ requests }) => requests))) / badCalls.length, 99, '%'),
    none(
      'answers that are not the promised one',
      misshapen.map(({ behaviour, route, status, text }) => `${behaviour}, ${route}: ${status} ${text.slice(0, 200)}`),
    ),
    atMost('slowest call', Math.max(...badCalls.map(({ tookMs }) => tookMs)) / 1_000, LATE_S, 's'),
    atMost('slowest call, besides the median of good calls', Math.max(...besides), LATE_S, 's'),
    exactly('calls that failed at a well-behaved endpoint', failed.length, 0),
  ]
}

const UNKNOWN_MESSAGE = /whether the call had an effect is unknown\.$/

/**
 * Compares the answers, the stored calls and the endpoint's log: completed has happened once, failed has not happened, and
 * unknown turned out as the log says.
 */
export function judgeEffects(
  rounds: readonly Round[],
  stored: readonly StoredCall[],
  effects: ReadonlyMap<string, number>,
): Check[] {
  const byExecution = new Map(stored.map((call) => [call.executionId, call]))
  const contradicted = rounds.flatMap(({ calls, behaviour, route }) =>
    calls.flatMap(({ text }) => {
      const { executionId = '' } = Acknowledged.safeParse(parsed(text)).data ?? {}
      const { status = 'not stored' } = byExecution.get(executionId) ?? {}
      const told = statusToldBy(messageOf(route, text))
      return status === told ? [] : [`${behaviour}, ${route}: ${executionId} was answered ${told} and is ${status}`]
    }),
  )
  const unknown = stored.filter(({ status }) => status === 'unknown')
  const happened = unknown.filter(({ callId }) => effects.has(callId)).length
  return [
    none('calls whose answer differs from what is stored', contradicted),
    ...invariantChecks(
      judgeCalls(stored, effects, () => true),
      CALL_INVARIANTS,
    ),
    atLeast('unknown calls that had their effect', happened, 1),
    atLeast('unknown calls that had none', unknown.length - happened, 1),
  ]
}

function statusToldBy(message: string | null): 'completed' | 'failed' | 'unknown' {
  if (message === null) return 'completed'
  return UNKNOWN_MESSAGE.test(message) ? 'unknown' : 'failed'
}

const Acknowledged = z.object({ executionId: z.string() })
const Failed = z.object({ error: z.object({ message: z.string() }) })
const Result = z.object({ type: z.literal('tool_result'), error: Failed.shape.error })
const Execution = z.object({ messages: z.array(z.object({ parts: z.array(z.unknown()) })) })

// An execution goes on: the failure is what the model is given in place of an output.
function messageOf(route: Route, text: string): string | null {
  if (route !== 'execute') return Failed.safeParse(parsed(text)).data?.error.message ?? null
  const parts = Execution.safeParse(parsed(text)).data?.messages.flatMap((message) => message.parts) ?? []
  const results = parts.flatMap((part) => Result.safeParse(part).data ?? [])
  return results[0]?.error.message ?? null
}
