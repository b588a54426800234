import { setTimeout as sleep } from 'node:timers/promises'
import { BillingUsage } from '@svc/contract'
import { createOwner, deploy, type HarnessOwner } from '../../support/owner.ts'
import { type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { createStore } from '../../support/store.ts'
import { anyClient, get } from '../evidence.ts'
import { CAPABILITY } from '../planned-model.ts'
import { storm } from '../quota/storm.ts'
import { openRuntime, openStage, type Stage } from '../site.ts'
import { type Refusal, refusals, type Targets } from './refused-requests.ts'

const CALLS = 1_000
const CONNECTIONS = 64
/** Of a quota that gains a unit every 36 s, one may come in while it is being refused: then the storm is repeated. */
const MOST_TRIES = 5
/** A server that found a bucket empty believes so for a tenth of a second: what a look at it takes would not be seen. */
const REST_MS = 250
const PORTIONS = 5

/** Asks for what must be refused, and looks for what it cost. */
export const refusalsAreFree: Scenario = {
  name: 'refusals-are-free',
  title: 'Refused calls (401, 403, 404, 400, 429) cost nothing and leave nothing',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const store = await createStore(context.engine, context.env)
    context.onEnd(() => store.remove())
    const stage = await openStage(context, { store, replicas: 1, connections: CONNECTIONS })
    const { targets, owners } = await prepare(stage)
    const checks: Check[] = []
    for (const refusal of refusals(targets)) {
      checks.push(...(await refuse(context, stage, owners, refusal)))
    }
    return checks
  },
}

async function prepare(stage: Stage): Promise<{ targets: Targets; owners: HarnessOwner[] }> {
  const [pro, free] = await Promise.all([
    createOwner(stage.serverOptions, 'pro@example.com', 'pro'),
    createOwner(stage.serverOptions, 'free@example.com', 'free'),
  ])
  const open = await openRuntime(stage, pro, 'Open')
  const url = stage.fleet.live[0]?.server.url ?? ''
  const needsEndUser = `${CAPABILITY}-mine`
  const capabilities = [CAPABILITY, needsEndUser].map((name) => ({
    name,
    version: '1.0.0',
    description: `Does ${name}.`,
    requiresEndUser: name === needsEndUser,
    actions: [{ name, inputSchema: { type: 'object' } }],
  }))
  await deploy(url, open, [CAPABILITY], { capabilities })
  await put(stage, pro, `/v1/runtimes/${open.runtimeId}/allowed-origins`, { origins: ['https://shop.example.com'] })
  const exhausted = await openRuntime(stage, free, 'Exhausted')
  return {
    targets: {
      open: { runtimeId: open.runtimeId, publicKey: open.publicKey, needsEndUser },
      exhausted: { runtimeId: exhausted.runtimeId, publicKey: exhausted.publicKey, apiKey: free.apiKey },
    },
    owners: [pro, free],
  }
}

async function put(stage: Stage, owner: HarnessOwner, path: string, body: unknown): Promise<void> {
  const heard = await anyClient(stage).send({ method: 'PUT', path, key: owner.apiKey, body })
  if (heard.kind === 'broken' || heard.status !== 200) throw new Error(`${path}: ${JSON.stringify(heard)}`)
}

async function refuse(
  context: ScenarioContext,
  stage: Stage,
  owners: readonly HarnessOwner[],
  { status, requests }: Refusal,
): Promise<Check[]> {
  const calls = context.count(CALLS, 12)
  const send = (count: number) =>
    storm([anyClient(stage)], count, (index) => requests[index % requests.length] ?? { method: 'GET', path: '/' })
  for (let tries = 1; ; tries += 1) {
    if (status === 429) await exhaust(send)
    const before = await spent(stage, owners)
    const statuses = await inPortions(calls, status === 429 ? PORTIONS : 1, send)
    const after = await spent(stage, owners)
    const cost = costOf(before, after)
    const refused = statuses.get(status) ?? 0
    const wasRefilled = status === 429 && (statuses.get(200) ?? 0) > 0
    // Usage is told by the hour: across its end there is nothing to compare.
    const hasTurned = before['hour'] !== after['hour']
    if ((wasRefilled || hasTurned) && tries < MOST_TRIES) continue
    const what = `what calls refused with ${status} cost`
    return [
      exactly(`calls refused with ${status}`, refused, calls),
      { ...exactly(what, cost.length, 0), measured: cost.join(', ') || '0' },
    ]
  }
}

type Send = (count: number) => Promise<{ statuses: ReadonlyMap<number, number> }>

/** With a rest between each and the next, after which a server looks at its buckets again; returns all statuses. */
async function inPortions(calls: number, portions: number, send: Send): Promise<Map<number, number>> {
  const all = new Map<number, number>()
  for (let sent = 0; sent < calls; ) {
    const count = Math.min(Math.ceil(calls / portions), calls - sent)
    const { statuses } = await send(count)
    for (const [status, times] of statuses) all.set(status, (all.get(status) ?? 0) + times)
    sent += count
    if (sent < calls) await sleep(REST_MS)
  }
  return all
}

async function exhaust(send: Send): Promise<void> {
  for (;;) {
    const { statuses } = await send(60)
    if (statuses.get(429) === 60) return
  }
}

/** Everything that a call may leave behind, by name. */
type Spent = Readonly<Record<string, string>>

async function spent(stage: Stage, owners: readonly HarnessOwner[]): Promise<Spent> {
  const usage = await Promise.all(
    owners.map(async (owner) => BillingUsage.parse(await get(anyClient(stage), '/v1/billing/usage', owner))),
  )
  const text = async (sql: string) => JSON.stringify(await stage.store.query(sql))
  return {
    'allowances drawn': await text('select owner_id, bucket, full_at from allowances order by owner_id, bucket'),
    'executions stored': await text('select count(*) as count from executions'),
    'calls stored': await text('select sum(call_count) as count from executions'),
    'usage told': JSON.stringify(usage.map(({ executions, anonymous }) => [executions.used, anonymous.used])),
    hour: usage[0]?.periodStart ?? '',
    'calls at the endpoint': String(stage.endpoint.effects.size),
    'requests to the model': String([...stage.model.requests.values()].reduce((sum, count) => sum + count, 0)),
  }
}

function costOf(before: Spent, after: Spent): string[] {
  return Object.keys(before).filter((name) => before[name] !== after[name])
}
