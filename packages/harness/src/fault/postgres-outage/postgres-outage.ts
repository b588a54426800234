import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Random } from '../../support/random.ts'
import { counted, exactly, type Scenario } from '../../support/scenario.ts'
import type { Store } from '../../support/store.ts'
import type { Outage, TcpRelay } from '../../support/tcp-relay.ts'
import type { Told } from '../history.ts'
import { type Load, startLoad } from '../load.ts'
import type { Plan } from '../plan.ts'
import { openRelayedStore } from '../relayed-store.ts'
import { openSite, type Site } from '../site.ts'
import { nextOp, performPlan, startSwarm } from '../swarm.ts'
import { askedSince, judgeOutages, type OutageNotes } from './judge.ts'
import { startWatch } from './watch.ts'

const OUTAGES: readonly Outage[] = ['refuse', 'hang', 'reset']
/** Longer than a lease. */
const OUTAGE_S = 45
/** Leaves ten seconds in which whatever is asked is judged, however late it is answered. */
const SHORTEST_S = 20
const CLIENTS = 6
/** Who comes once it has begun: of a silent database, those who were there before wait for what they had asked for. */
const LATECOMERS = 6
const ANSWERS_WITHIN_MS = 30_000
const POLL_MS = 50
/** How much longer than the outage an execution takes that runs through it. */
const LASTING_MS = 15_000
/** Pauses in the double's answer. */
const PIECES = 6
const LASTING_EACH = 2
const DISPATCH_MS = 5_000
const OVERDUE_MARGIN_MS = 90_000

/** Keeps servers from their PostgreSQL for longer than their lease. */
export const postgresOutage: Scenario = {
  name: 'postgres-outage',
  title: 'PostgreSQL refused, silent or reset for longer than a lease: servers say so, and lose nothing',
  engines: ['postgres'],
  async run(context) {
    const outageMs = context.count(OUTAGE_S, SHORTEST_S) * 1_000
    const executionMs = outageMs + LASTING_MS + ANSWERS_WITHIN_MS
    const { relayed: store, relay } = await openRelayedStore(context)
    const site = await openSite(context, {
      store,
      replicas: 2,
      connections: 32,
      variables: {
        SVC_OPS_PORT: '0',
        SVC_LIMIT_EXECUTION_MS: String(executionMs),
        SVC_LIMIT_DISPATCH_MS: String(DISPATCH_MS),
      },
    })
    const random = context.random.fork()
    const load = await startLoad(site, random.fork(), CLIENTS)
    const outages: OutageNotes[] = []
    for (const kind of OUTAGES) {
      const outage = await breakOnce({ site, load, relay, random }, kind, outageMs)
      outages.push(outage)
      context.say(`${kind}: first success after ${outage.successMs} ms, ${load.history.operations.length} operations`)
    }
    const checks = await load.judge(executionMs + DISPATCH_MS + OVERDUE_MARGIN_MS)
    return [
      ...judgeOutages(outages),
      exactly('executions of living servers that were taken over', (await takenOver(store, load)).length, 0),
      ...checks,
      counted('operations that broke off', load.history.operations.filter(({ told }) => told.as === 'unknown').length),
      counted('length of each outage', outageMs / 1_000, 's'),
      ...load.checks(outages.length),
    ]
  },
}

interface Run {
  site: Site
  load: Load
  relay: TcpRelay
  random: Random
}

async function breakOnce({ site, load, relay, random }: Run, kind: Outage, outageMs: number): Promise<OutageNotes> {
  const { fleet } = site
  const [owner] = site.owners
  if (!owner) throw new Error('the site has no owner')
  await answered(site, load, 5)
  const lasting = beginLasting(site, load, outageMs)
  await answered(site, load, 5)
  const watch = startWatch(fleet, owner.apiKey)
  const endDisturbances = fleet.live.map(({ nodeId }) => load.disturb(nodeId))
  await relay.breakBy(kind)
  const from = Date.now()
  const latecomers = startSwarm(site, { clients: LATECOMERS, random: random.fork(), history: load.history })
  await pause(outageMs)
  const to = Date.now()
  await relay.mend()
  const successes = fleet.live.map(({ nodeId }) => firstSuccess(load, nodeId, { from, to }))
  const successMs = Math.max(...(await Promise.all(successes)))
  const [looks, told] = await Promise.all([watch.stop(), Promise.all(lasting), latecomers.stop()])
  // Not before: what hung would be missing.
  const operations = askedSince(load.history, from, Date.now())
  for (const end of endDisturbances) end()
  return { from, to, looks, operations, lasting: told, successMs }
}

/** How long after the outage a server completed what it was asked for since the outage began: that had to be let in. */
async function firstSuccess(
  { history }: Load,
  node: string,
  { from, to }: Pick<OutageNotes, 'from' | 'to'>,
): Promise<number> {
  for (; Date.now() < to + ANSWERS_WITHIN_MS; await pause(POLL_MS)) {
    const found = history.operations.find(
      ({ invokedAt, endedAt, told, nodeId }) =>
        nodeId === node && invokedAt >= from && endedAt >= to && told.as === 'completed',
    )
    if (found) return found.endedAt - to
  }
  return Number.POSITIVE_INFINITY
}

async function answered({ fleet }: Site, load: Load, count: number): Promise<void> {
  await Promise.all(fleet.live.map(({ nodeId }) => load.answered(nodeId, count, ANSWERS_WITHIN_MS)))
}

/** Streams on every server that the model speaks to until after the outage. */
function beginLasting(site: Site, { history }: Load, outageMs: number): Promise<Told>[] {
  const pieceMs = Math.ceil((outageMs + LASTING_MS) / PIECES)
  return site.fleet.live.flatMap((replica) =>
    Array.from({ length: LASTING_EACH }, (_, index) => {
      const runtime = index % site.runtimes.length
      const plan: Plan = {
        op: nextOp(history),
        doorway: 'stream',
        runtime,
        calls: 0,
        callMs: 0,
        pieceMs,
        isReset: false,
      }
      return performPlan(site, replica, history, plan)
    }),
  )
}

const TAKEN_OVER = 'The service was interrupted while the execution ran.'
const Row = z.object({ execution_id: z.string(), metadata: z.string() })
const Metadata = z.object({ op: z.number() })

/**
 * No server ended: whatever another one failed was alive. But for admissions of which their own server did not learn
 * whether they took place: nobody runs these, and they are failed with the same words.
 */
async function takenOver(store: Store, { history }: Load): Promise<string[]> {
  const inDoubt = new Set(history.operations.filter(({ told }) => told.as === 'unknown').map(({ plan }) => plan.op))
  const rows = await store.query('select execution_id, metadata from executions where error = ?', [TAKEN_OVER])
  return rows
    .map((row) => Row.parse(row))
    .filter(({ metadata }) => !inDoubt.has(Metadata.parse(JSON.parse(metadata)).op))
    .map(({ execution_id }) => execution_id)
}
