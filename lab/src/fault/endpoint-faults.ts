import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { type Client, createClient, type Heard, parsed } from '../support/client.ts'
import { playWhole, speakTurn, startModelDouble } from '../support/model-double.ts'
import { at, startProbe } from '../support/probe.ts'
import { usageOf } from '../support/process-usage.ts'
import { atLeast, atMost, type Check, exactly, none, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { median, sum } from '../support/statistics.ts'
import { forEachAtOnce, PROGRAM_MS, within } from '../support/within.ts'
import { addRuntime, brokerPath, type CalledWorld, openCalledWorld, post } from '../support/world.ts'
import { type EndpointWay, FAULTS, isFault } from './endpoint-ways.ts'
import { taggedBody } from './executes.ts'
import { runningAfter } from './rows.ts'

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
const DOORS = ['broker', 'capability', 'execute'] as const
type Door = (typeof DOORS)[number]

const ASKING = speakTurn({ toolCalls: [{ name: 'act' }] })
const DONE = speakTurn({ text: 'Done.' })

export const endpointFaults: Scenario = {
  name: 'endpoint-faults',
  title: 'Calls to any misbehaving endpoint end in time and in form, and other tenants do not feel it',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const double = await startModelDouble(context, ({ index }) => playWhole(index === 0 ? ASKING : DONE))
    const endpoint = await startEndpoint(context)
    const count = context.count(CALLS_AT_ONCE, CALLS_PER_RUNTIME)
    const limits = { SVC_LIMIT_DISPATCH_MS: String(DEADLINE_MS), SVC_LIMIT_EXECUTION_MS: String(EXECUTION_MS) }
    const world = await openCalledWorld(context, {
      endpoint: endpoint.url,
      runtimeCount: Math.ceil(count / CALLS_PER_RUNTIME),
      variables: { ...double.variables, ...limits },
    })
    const client = createClient(world.server.url, count)
    const stage: Stage = { world, client, count, endpoint }
    // At an endpoint of its own: the other thread is busy with faults, and half a second late.
    const tenant = await addRuntime(world, `${(await startEndpoint(context)).url}/good/tenant`)
    const { url } = world.server
    const request = { path: brokerPath(tenant), body: { input: {} } }
    const probe = () => startProbe(context, { url, everyMs: 50, request })
    const good = await playAll(stage, ['good', 'slow'], 'warm')
    const idling = probe()
    await pause(context.count(IDLE_MS, 5_000))
    const idle = await idling.stop()
    const calm = probe()
    good.push(...(await playAll(stage, ['good', 'slow', 'good', 'slow'], 'calm')))
    const baseline = await calm.stop()
    const beside = probe()
    const bad = await playAll(stage, Object.keys(FAULTS).filter(isFault), 'bad')
    const probes = await beside.stop()
    const mostMb = (rounds: readonly Round[]) => Math.max(...rounds.map(({ residentMb }) => residentMb))
    const grownMb = mostMb(bad) - mostMb(good)
    return [
      ...judgeRounds(bad, good),
      exactly('requests at the address of the redirect', (await endpoint.hits()).get('/target/0') ?? 0, 0),
      atMost('memory beyond that of well-behaved rounds', grownMb, MEMORY_GROWTH_MB, 'MB'),
      exactly('calls of the other tenant that failed', sum([idle, baseline, probes].map((one) => one.failures)), 0),
      atMost('its p99 against well-behaved rounds', at(0.99, probes) / at(0.99, baseline), P99_FACTOR, '×'),
      atMost('its p99 against an idle server', at(0.99, probes) / at(0.99, idle), P99_FACTOR, '×'),
      exactly('executions left `running`', await runningAfter(world.store, 10_000), 0),
    ]
  },
}

/** In a thread of its own, so that its work costs this one nothing but processor time. */
async function startEndpoint({ onEnd }: ScenarioContext) {
  const worker = new Worker(new URL('./endpoint-thread.js', import.meta.url))
  onEnd(() => worker.terminate())
  const next = async () => {
    const [message] = await within(once(worker, 'message'), PROGRAM_MS, 'a thread to answer')
    return message as unknown
  }
  const port = z.number().parse(await next())
  return {
    url: `http://127.0.0.1:${port}`,
    /** Requests that reached it, by their path. */
    async hits() {
      worker.postMessage('hits')
      return new Map(z.array(z.tuple([z.string(), z.number()])).parse(await next()))
    },
  }
}

interface Stage {
  world: CalledWorld
  client: Client
  count: number
  endpoint: Awaited<ReturnType<typeof startEndpoint>>
}

/** Calls to one endpoint through one door, all at once. */
export interface Round {
  way: EndpointWay
  door: Door
  /** Status 0 for no answer. */
  calls: readonly { status: number; text: string; tookMs: number }[]
  /** Of these, how many reached the endpoint. */
  hits: number
  residentMb: number
}

async function playAll(stage: Stage, ways: readonly EndpointWay[], name: string): Promise<Round[]> {
  const rounds: Round[] = []
  for (const [index, way] of ways.entries())
    for (const door of DOORS) rounds.push(await playRound(stage, { way, door, name: `${name}${index}` }))
  return rounds
}

/** Moves every runtime to an address at which the endpoint behaves this way, and makes all calls at once. */
async function playRound(
  { world, client, count, endpoint }: Stage,
  { way, door, name }: { way: EndpointWay; door: Door; name: string },
): Promise<Round> {
  const path = `/${way}/${name}-${door}`
  // At a new address a runtime begins anew: no round pays for the one before.
  await forEachAtOnce(world.runtimes, 4, async ({ runtimeId }) => {
    const fields = { name: 'Moved', runtimeId, endpoint: `${endpoint.url}${path}` }
    await post(`${world.server.url}/v1/runtimes`, world.owner.apiKey, fields)
  })
  let residentMb = 0
  const look = () => {
    residentMb = Math.max(residentMb, usageOf(world.server.pid).residentBytes / 1024 / 1024)
  }
  const looking = setInterval(look, 100)
  const callOnce = async (_: unknown, index: number): Promise<Round['calls'][number]> => {
    const { runtimeId, publicKey: key } = world.runtimes[Math.floor(index / CALLS_PER_RUNTIME)] ?? world.runtimes[0]
    const startedAt = performance.now()
    const { status, text } = await send(client, { door, runtimeId, key, tag: `${name}-${way}-${door}-${index}` })
    return { status, text, tookMs: performance.now() - startedAt }
  }
  const calls = await Promise.all(Array.from({ length: count }, callOnce))
  const hits = (await endpoint.hits()).get(path) ?? 0
  clearInterval(looking)
  look()
  return { way, door, calls, hits, residentMb }
}

interface Call {
  door: Door
  runtimeId: string
  key: string
  tag: string
}

function send(client: Client, { door, runtimeId, key, tag }: Call): Promise<Heard> {
  const input = {}
  if (door === 'broker') return client.send({ path: brokerPath({ runtimeId }), body: { input } })
  if (door === 'execute') return client.send({ path: '/v1/runtime/execute', key, body: taggedBody(tag) })
  return client.send({ path: '/v1/runtime/capability', key, body: { capability: 'act', input } })
}

/** Each bad call told as promised and in time, each good one served. */
export function judgeRounds(bad: readonly Round[], good: readonly Round[]): Check[] {
  const badCalls = bad.flatMap(({ calls, way, door }) => calls.map((call) => ({ ...call, way, door })))
  // So many calls at once have to wait for each other: their own time, in this run and through this door.
  const ownMs = (door: Door) => {
    const rounds = good.filter((round) => round.way === 'good' && round.door === door)
    return median(rounds.flatMap(({ calls }) => calls.map(({ tookMs }) => tookMs))) || 0
  }
  const besides = badCalls.map(({ tookMs, door }) => (tookMs - ownMs(door)) / 1_000)
  const misshapen = badCalls.filter(({ way, door, status, text }) => {
    const told: readonly string[] = isFault(way) ? FAULTS[way].told : []
    return status !== (door === 'broker' ? 502 : 200) || !told.includes(messageOf(door, text) ?? '')
  })
  const failed = good.flatMap(({ calls, door }) =>
    calls.filter(({ status, text }) => status !== 200 || messageOf(door, text) !== null || !/A-1001/.test(text)),
  )
  return [
    atLeast('calls that met their fault', (100 * sum(bad.map(({ hits }) => hits))) / badCalls.length, 99, '%'),
    none(
      'answers that are not the promised one',
      misshapen.map(({ way, door, status, text }) => `${way}, ${door}: ${status} ${text.slice(0, 200)}`),
    ),
    atMost('slowest call', Math.max(...badCalls.map(({ tookMs }) => tookMs)) / 1_000, LATE_S, 's'),
    atMost('slowest call, besides the median of good calls', Math.max(...besides), LATE_S, 's'),
    exactly('calls that failed at a well-behaved endpoint', failed.length, 0),
  ]
}

const Failed = z.object({ error: z.object({ message: z.string() }) })
const Result = z.object({ type: z.literal('tool_result'), error: Failed.shape.error })
const Execution = z.object({ messages: z.array(z.object({ parts: z.array(z.unknown()) })) })

// An execution goes on: the failure is what the model is given in place of an output.
function messageOf(door: Door, text: string): string | null {
  if (door !== 'execute') return Failed.safeParse(parsed(text)).data?.error.message ?? null
  const parts = Execution.safeParse(parsed(text)).data?.messages.flatMap((message) => message.parts) ?? []
  const results = parts.flatMap((part) => Result.safeParse(part).data ?? [])
  return results[0]?.error.message ?? null
}
