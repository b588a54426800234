import { setTimeout as pause } from 'node:timers/promises'
import { BillingUsage } from '@svc/contract'
import { z } from 'zod'
import type { ClientRequest } from '../../support/client.ts'
import { createOwner, type HarnessOwner } from '../../support/owner.ts'
import { type Check, counted, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { createStore, type Store } from '../../support/store.ts'
import { anyClient, get } from '../evidence.ts'
import { planWords } from '../plan.ts'
import { CAPABILITY } from '../planned-model.ts'
import { openRuntime, openStage, type Stage } from '../site.ts'
import { type Bound, isWithin } from './bound.ts'
import { letIn, type Storm, storm } from './storm.ts'

const CALLS = 1_000
const REPEATS = 20
const POSTGRES_REPLICAS = [1, 3]

/** More calls at once than an account on the free plan may make, through each of its doors. */
export const quota: Scenario = {
  name: 'quota',
  title: 'Quota and rate limits, exact with 1,000 calls at once, on one server and on three',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const store = await createStore(context.engine, context.env)
    context.onEnd(() => store.remove())
    const calls = context.count(CALLS, 250)
    const stage = await openStage(context, { store, replicas: 1, connections: calls })
    const checks: Check[] = []
    for (const replicas of context.engine === 'sqlite' ? [1] : POSTGRES_REPLICAS) {
      await growTo(stage, replicas)
      checks.push(...(await repeat(context, stage, calls)))
    }
    return checks
  },
}

// Each server grants its share of a rate limit, and counts the others with the renewal of its lease, every ten seconds.
const COUNTED_MS = 12_000

async function growTo({ fleet }: Stage, replicas: number): Promise<void> {
  if (fleet.live.length >= replicas) return
  while (fleet.live.length < replicas) await fleet.start()
  await pause(COUNTED_MS)
}

async function repeat(context: ScenarioContext, stage: Stage, calls: number): Promise<Check[]> {
  const replicas = stage.fleet.live.length
  const count = context.count(REPEATS)
  const rounds: Round[] = []
  for (let index = 1; index <= count; index += 1) {
    rounds.push(await playRound(stage, `free-${replicas}-${index}@example.com`, calls))
    if (index % 5 === 0) context.say(`${index} of ${count} repeats on ${replicas} servers`)
  }
  const on = `on ${replicas} ${replicas === 1 ? 'server' : 'servers'}`
  const off = (door: Door) => rounds.filter(({ doors }) => !isWithin(doors[door].let, doors[door].bound)).length
  const sum = (door: Door) => rounds.reduce((total, { doors }) => total + doors[door].let, 0)
  return [
    counted(`repeats of three storms ${on}`, rounds.length),
    counted(`calls at once, ${on}`, calls),
    ...DOORS.map((door) => ({
      ...exactly(`repeats in which the ${door}’s limit was not met exactly, ${on}`, off(door), 0),
      measured: `${off(door)}, ${sum(door)} let in`,
    })),
    exactly(
      `repeats in which usage or rows differ from what was let in, ${on}`,
      rounds.filter(({ isLedgerRight }) => !isLedgerRight).length,
      0,
    ),
    strayCheck(
      `calls answered with neither a result nor a 429, ${on}`,
      rounds.flatMap(({ strays }) => strays),
    ),
  ]
}

const DOORS = ['page', 'broker', 'owner'] as const
type Door = (typeof DOORS)[number]

interface Round {
  doors: Record<Door, { let: number; bound: Bound }>
  isLedgerRight: boolean
  /** Statuses of calls that were neither let in nor refused; 0 for one that was not answered. */
  strays: readonly number[]
}

function strayCheck(what: string, statuses: readonly number[]): Check {
  const check = exactly(what, statuses.length, 0)
  if (statuses.length === 0) return check
  return { ...check, measured: `${statuses.length}, with ${[...new Set(statuses)].join(', ')}` }
}

/** What the free plan allows, and how long each bucket takes for one unit more. */
const RATE = { burst: 60, unitMs: 1_000 }
const ANONYMOUS = { burst: 50, unitMs: 144_000 }
const MAIN = { burst: 200, unitMs: 36_000 }

async function playRound(stage: Stage, email: string, calls: number): Promise<Round> {
  const owner = await createOwner(stage.serverOptions, email, 'free')
  const { runtimeId, publicKey } = await openRuntime(stage, owner, 'Storm')
  const clients = stage.fleet.live.map(({ client }) => client)
  const input = { op: 0, ms: 0, reset: false }
  const startedAt = Date.now()
  const blow = (request: ClientRequest) => storm(clients, calls, () => request)
  const call = { capability: CAPABILITY, input }
  const page = await blow({ method: 'POST', path: '/v1/runtime/capability', key: publicKey, body: call })
  const path = `/v1/capabilities/${runtimeId}/${CAPABILITY}`
  const broker = await blow({ method: 'POST', path, body: { input } })
  const own = await blow({ method: 'POST', path: '/v1/executions', key: owner.apiKey, body: askFor(runtimeId) })
  const tookMs = Date.now() - startedAt
  // Both of the others have drawn on the quota, and the calls that they turned away have not.
  const left = { ...MAIN, burst: MAIN.burst - letIn(page) - letIn(broker) }
  return {
    doors: {
      page: { let: letIn(page), bound: { ...RATE, tookMs: page.tookMs } },
      broker: { let: letIn(broker), bound: { ...ANONYMOUS, tookMs: broker.tookMs } },
      owner: { let: letIn(own), bound: { ...left, tookMs } },
    },
    isLedgerRight: await isLedgerRight(stage, owner, [page, broker, own]),
    strays: [page, broker, own].flatMap(strays),
  }
}

function askFor(runtimeId: string) {
  const content = planWords({ op: 0, doorway: 'execute', runtime: 0, calls: 0, callMs: 0, pieceMs: 0, isReset: false })
  return { runtimeId, messages: [{ role: 'user', parts: [{ type: 'text', content }] }] }
}

function strays({ statuses }: Storm): number[] {
  const others = [...statuses].filter(([status]) => ![200, 502, 429].includes(status))
  return others.flatMap(([status, count]) => Array.from({ length: count }, () => status))
}

async function isLedgerRight(stage: Stage, owner: HarnessOwner, [page, broker, own]: [Storm, Storm, Storm]) {
  const usage = BillingUsage.parse(await get(anyClient(stage), '/v1/billing/usage', owner))
  const rows = await countRows(stage.store, owner)
  const expected = { execute: letIn(own), capability: letIn(page), broker: letIn(broker) }
  const all = expected.execute + expected.capability + expected.broker
  const isWholeHour = new Date(usage.periodStart).getTime() <= rows.firstAt
  // What was used is told by the hour: of a round that began in the hour before, the rows alone are compared.
  const isUsageRight = usage.executions.used === all && usage.anonymous.used === expected.broker
  const areRowsRight = (['execute', 'capability', 'broker'] as const).every(
    (kind) => (rows.kinds.get(kind) ?? 0) === expected[kind],
  )
  return areRowsRight && (isUsageRight || !isWholeHour)
}

const Count = z.object({ kind: z.string(), count: z.number(), first_at: z.number() })

async function countRows(store: Store, { ownerId }: HarnessOwner) {
  const sql =
    'select kind, count(*) as count, min(started_at) as first_at from executions where owner_id = ? group by kind'
  const rows = (await store.query(sql, [ownerId])).map((row) => Count.parse(row))
  return {
    kinds: new Map(rows.map(({ kind, count }) => [kind, count])),
    firstAt: Math.min(...rows.map(({ first_at }) => first_at)),
  }
}
