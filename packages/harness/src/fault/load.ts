import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import { atLeast, type Check } from '../support/scenario.ts'
import { type Disturbance, judge, lawChecks } from './checker.ts'
import { type Baseline, gatherEvidence, readBaseline } from './evidence.ts'
import { createHistory, type History, type Operation } from './history.ts'
import { judgeLoad } from './load-checks.ts'
import type { Site } from './site.ts'
import { perform, startSwarm } from './swarm.ts'

/** A site under load, and what was heard of it. */
export interface Load {
  history: History
  /** Notes that from now on what is asked of a node may fail; what it returns notes that this is over. */
  disturb(nodeId: string): () => void
  /** Resolves when a node has completed so many operations more, or after `maxMs`. */
  answered(nodeId: string, count: number, maxMs: number): Promise<void>
  /** Ends the load, waits until nothing runs any more, and judges. Waits no longer than `quietMs`. */
  judge(quietMs: number): Promise<Check[]>
  /** That it was a load worth the name for so many faults, and that no server ended by itself. */
  checks(faults: number): Check[]
}

const CLIENTS = 16
// More than the refill of the slowest bucket gives back before the load has begun in earnest.
const WARM_UP = 60
const POLL_MS = 250
const ANSWER_POLL_MS = 5

/** Draws a little from every bucket, reads where they stand, and begins. */
export async function startLoad(site: Site, random: Random, clients = CLIENTS): Promise<Load> {
  const history = createHistory(Date.now)
  const [first] = site.fleet.live
  if (!first) throw new Error('no server listens')
  for (let left = WARM_UP; left > 0; left -= 6) {
    await Promise.all(Array.from({ length: 6 }, () => perform(site, first, history, random)))
  }
  const baseline = await readBaseline(site)
  const warmUp = { operations: history.operations.length, effects: site.endpoint.effects.size }
  const swarm = startSwarm(site, { clients, random, history })
  const disturbances: Disturbance[] = []
  return {
    history,
    disturb(nodeId) {
      const disturbance = { nodeId, from: Date.now(), to: Number.POSITIVE_INFINITY }
      disturbances.push(disturbance)
      return () => {
        disturbance.to = Date.now()
      }
    },
    async answered(nodeId, count, maxMs) {
      const until = Date.now() + maxMs
      let looked = history.operations.length
      for (let left = count; left > 0 && Date.now() < until; ) {
        await pause(ANSWER_POLL_MS)
        left -= history.operations.slice(looked).filter((operation) => isAnswerOf(operation, nodeId)).length
        looked = history.operations.length
      }
    },
    async judge(quietMs) {
      await swarm.stop()
      await untilQuiet(site, quietMs)
      return checks(site, { history, baseline, disturbances })
    },
    checks: (faults) =>
      judgeLoad({
        operations: history.operations.slice(warmUp.operations),
        effects: site.endpoint.effects.size - warmUp.effects,
        faults,
        hasLostServer: site.fleet.hasLostOne,
        disturbances,
      }),
  }
}

function isAnswerOf({ nodeId, told }: Operation, node: string): boolean {
  return nodeId === node && told.as === 'completed'
}

/** That faults were felt: operations of which nobody knows by their answer whether they happened. */
export function brokenOffCheck({ history }: Load): Check {
  return atLeast('operations that broke off', history.operations.filter(({ told }) => told.as === 'unknown').length, 1)
}

type Known = { history: History; baseline: Baseline; disturbances: readonly Disturbance[] }

async function checks(site: Site, known: Known): Promise<Check[]> {
  return lawChecks(judge(await gatherEvidence(site, known)))
}

async function untilQuiet(site: Site, quietMs: number): Promise<void> {
  const until = Date.now() + quietMs
  while (Date.now() < until) {
    const running = await site.store.query("select 1 as one from executions where status = 'running' limit 1")
    if (running.length === 0) return
    await pause(POLL_MS)
  }
}
