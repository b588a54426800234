import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Heard } from '../../support/client.ts'
import { moveRuntime } from '../../support/owner.ts'
import { usageOf } from '../../support/process-usage.ts'
import { forEachAtOnce } from '../at-once.ts'
import { taggedBody } from '../streams.ts'
import type { World } from '../world.ts'
import type { EndpointWay } from './faults.ts'
import type { Door, Round, RoundCall } from './judge.ts'
import type { Threads } from './threads.ts'

/** Fewer than the ten after which calls to a failing endpoint are paused: every call is to meet its fault. */
export const CALLS_PER_RUNTIME = 8

/** What rounds are played on, one after the other. */
export interface Stage {
  world: World
  threads: Threads
  client: Client
  count: number
}

/** Of the machine and not of this thread: every thread counts from its own start. */
export function machineMs(): number {
  return performance.timeOrigin + performance.now()
}

/** Moves every runtime to an address at which the endpoint behaves this way, and makes all calls at once. */
export async function playRound(
  { world, threads, client, count }: Stage,
  { way, door, name }: { way: EndpointWay; door: Door; name: string },
): Promise<Round> {
  const path = `/${way}/${name}-${door}`
  const endpoint = way === 'hung' ? threads.hungUrl : `${threads.badUrl}${path}`
  // At a new address a runtime begins anew: no round pays for the one before.
  await forEachAtOnce(world.runtimes, 4, async ({ runtimeId }) => {
    await moveRuntime(world.server.url, world.owner, { runtimeId, endpoint })
  })
  const startedAt = machineMs()
  const watch = watchMemory(world.server.pid)
  const calls = await Promise.all(
    Array.from({ length: count }, (_, index) => callOnce(client, world, { door, index, name })),
  )
  const endedAt = machineMs()
  const hits = way === 'hung' ? null : ((await threads.hits()).get(path) ?? 0)
  await pause(100)
  return { way, door, startedAt, endedAt, calls, hits, residentBytes: watch() }
}

/** Looks ten times a second; the returned function stops that and tells the most that was held. */
function watchMemory(pid: number): () => number {
  let most = 0
  const look = () => {
    most = Math.max(most, usageOf(pid).residentBytes)
  }
  const timer = setInterval(look, 100)
  return () => {
    clearInterval(timer)
    look()
    return most
  }
}

async function callOnce(
  client: Client,
  { runtimes }: World,
  { door, index, name }: { door: Door; index: number; name: string },
): Promise<RoundCall> {
  const { runtimeId, publicKey: key } = runtimes[Math.floor(index / CALLS_PER_RUNTIME)] ?? runtimes[0]
  const startedAt = performance.now()
  const heard = await send(client, { door, runtimeId, key, tag: `${name}-${door}-${index}` })
  const tookMs = performance.now() - startedAt
  return heard.kind === 'answer' ? { ...heard, tookMs } : { status: 0, text: heard.reason, tookMs }
}

function send(
  client: Client,
  { door, runtimeId, key, tag }: { door: Door; runtimeId: string; key: string; tag: string },
): Promise<Heard> {
  const input = {}
  if (door === 'broker') {
    return client.send({ method: 'POST', path: `/v1/capabilities/${runtimeId}/act`, body: { input } })
  }
  if (door === 'capability') {
    return client.send({ method: 'POST', path: '/v1/runtime/capability', key, body: { capability: 'act', input } })
  }
  return client.send({ method: 'POST', path: '/v1/runtime/execute', key, body: taggedBody(tag) })
}
