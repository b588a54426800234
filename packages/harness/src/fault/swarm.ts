import { setTimeout as pause } from 'node:timers/promises'
import type { ClientRequest } from '../support/client.ts'
import type { Random } from '../support/random.ts'
import type { Work } from './effect-log.ts'
import type { Replica } from './fleet.ts'
import { type History, type Told, toldBy } from './history.ts'
import { drawPlan, type Plan, planWords } from './plan.ts'
import { CAPABILITY } from './planned-model.ts'
import type { Site, SiteRuntime } from './site.ts'

/** Clients that ask for one thing after the other, until they are told to stop. */
export interface Swarm {
  /** Asks for no more, and resolves when everything that was asked for has been heard or broken off. */
  stop(): Promise<void>
}

export interface SwarmOptions {
  clients: number
  random: Random
  history: History
}

// Whoever was turned away tries something else a moment later.
const PAUSE_MS = 25

export function startSwarm(site: Site, { clients, random, history }: SwarmOptions): Swarm {
  let isStopped = false
  const work = async () => {
    while (!isStopped) {
      const [first, ...rest] = site.fleet.live
      if (!first) await pause(PAUSE_MS)
      else {
        const told = await perform(site, random.pick([first, ...rest]), history, random)
        if (told.as === 'refused' || told.as === 'unknown') await pause(PAUSE_MS)
      }
    }
  }
  const workers = Array.from({ length: clients }, work)
  return {
    async stop() {
      isStopped = true
      await Promise.all(workers)
    },
  }
}

/** Draws one operation, performs it on a server, and notes what was heard. */
export async function perform(site: Site, replica: Replica, history: History, random: Random): Promise<Told> {
  return performPlan(site, replica, history, drawPlan(random, nextOp(history), site.runtimes.length))
}

/** A number that no other operation of this history has. */
export function nextOp({ operations, underWay }: History): number {
  return operations.length + underWay.size
}

/** Performs one operation on a server, and notes what was heard. */
export async function performPlan(site: Site, replica: Replica, history: History, plan: Plan): Promise<Told> {
  const runtime = site.runtimes[plan.runtime]
  if (!runtime) throw new Error(`the site has no runtime ${plan.runtime}`)
  const hear = history.invoke(plan, replica.nodeId)
  const told = toldBy(plan.doorway, await replica.client.send(requestOf(plan, runtime)))
  hear(told)
  return told
}

function requestOf(plan: Plan, { runtimeId, publicKey }: SiteRuntime): ClientRequest {
  const metadata = { op: plan.op }
  if (plan.doorway === 'broker') {
    const input: Work = { op: plan.op, ms: plan.callMs, reset: plan.isReset }
    return { method: 'POST', path: `/v1/capabilities/${runtimeId}/${CAPABILITY}`, body: { input, metadata } }
  }
  const messages = [{ role: 'user', parts: [{ type: 'text', content: planWords(plan) }] }]
  return {
    method: 'POST',
    path: '/v1/runtime/execute',
    key: publicKey,
    body: { messages, metadata },
    headers: { accept: plan.doorway === 'stream' ? 'text/event-stream' : 'application/json' },
  }
}
