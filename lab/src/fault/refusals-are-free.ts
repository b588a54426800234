import { setTimeout as pause } from 'node:timers/promises'
import { BillingUsage } from '@svc/contract'
import type { ClientRequest } from '../support/client.ts'
import { type Check, exactly, none, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { sum } from '../support/statistics.ts'
import { createStore } from '../support/store.ts'
import { createOwner, deploy, type LabOwner } from '../support/world.ts'
import { get } from './load.ts'
import { anyReplica, CAPABILITY, openRuntime, openStage, type Stage } from './site.ts'
import { storm } from './storm.ts'

const CALLS = 1_000
const CONNECTIONS = 64
/** Of a quota that gains a unit every 36 s, one may come in while it is being refused: then the storm is repeated. */
const MOST_TRIES = 5
/** A server that found a bucket empty believes so for a tenth of a second. */
const REST_MS = 250
const PORTIONS = 5

const EXECUTE = '/v1/runtime/execute'
const CALL = '/v1/runtime/capability'
const CHAT = { messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }] }
const INPUT = { op: 0, ms: 0, reset: false }
const UNKNOWN_KEY = `svc_pk_${'a'.repeat(38)}`
const MINE = `${CAPABILITY}-mine`

export const refusalsAreFree: Scenario = {
  name: 'refusals-are-free',
  title: 'Refused calls (401, 403, 404, 400, 429) cost nothing and leave nothing',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const store = await createStore(context.engine, context.env)
    context.onEnd(() => store.remove())
    const stage = await openStage(context, { store, replicas: 1, connections: CONNECTIONS })
    const pro = await createOwner(stage.serverOptions, 'pro@example.com', 'pro')
    const free = await createOwner(stage.serverOptions, 'free@example.com', 'free')
    const checks: Check[] = []
    for (const [status, requests] of await refusals(stage, pro, free))
      checks.push(...(await refuse(context, stage, { owners: [pro, free], status, requests })))
    return checks
  },
}

/** Requests that must be refused, by status, through every door that can give it. */
async function refusals(stage: Stage, pro: LabOwner, free: LabOwner): Promise<[number, ClientRequest[]][]> {
  const { server, client } = anyReplica(stage)
  const open = await openRuntime(stage, pro)
  const capabilities = [CAPABILITY, MINE].map((name) => ({
    name,
    version: '1.0.0',
    description: `Does ${name}.`,
    requiresEndUser: name === MINE,
    actions: [{ name, inputSchema: { type: 'object' } }],
  }))
  await deploy(server.url, open, { capabilities })
  const path = `/v1/runtimes/${open.runtimeId}/allowed-origins`
  await client.send({ method: 'PUT', path, key: pro.apiKey, body: { origins: ['https://shop.example.com'] } })
  const exhausted = await openRuntime(stage, free)
  const broker = (runtimeId: string, capability: string) => `/v1/capabilities/${runtimeId}/${capability}`
  const to = (target: string, body: unknown, key?: string, headers = {}): ClientRequest => ({
    method: 'POST',
    path: target,
    body,
    headers,
    ...(key === undefined ? {} : { key }),
  })
  const { publicKey: key, runtimeId } = open
  const call = { capability: CAPABILITY, input: INPUT }
  const foreign = { origin: 'https://elsewhere.example.com' }
  const calls = [to(EXECUTE, CHAT, UNKNOWN_KEY), to(CALL, call, UNKNOWN_KEY), to(EXECUTE, CHAT)]
  return [
    [401, [...calls, to(broker(runtimeId, MINE), { input: INPUT })]],
    [403, [to(EXECUTE, CHAT, key, foreign), to(CALL, call, key, foreign)]],
    [
      404,
      [
        to(broker(runtimeId, 'nothing'), { input: INPUT }),
        to(broker('rt_nobody0001', CAPABILITY), { input: INPUT }),
        to(CALL, { ...call, capability: 'nothing' }, key),
      ],
    ],
    [
      400,
      [
        to(EXECUTE, { messages: 'Hello' }, key),
        to(CALL, { capability: CAPABILITY, input: [] }, key),
        to(broker(runtimeId, CAPABILITY), { input: 'work' }),
        to(EXECUTE, { ...CHAT, metadata: { text: 'x'.repeat(9_000) } }, key),
      ],
    ],
    [
      429,
      [
        to('/v1/executions', { ...CHAT, runtimeId: exhausted.runtimeId }, free.apiKey),
        to(EXECUTE, CHAT, exhausted.publicKey),
        to(broker(exhausted.runtimeId, CAPABILITY), { input: INPUT }),
      ],
    ],
  ]
}

interface Refusal {
  owners: readonly LabOwner[]
  status: number
  requests: readonly ClientRequest[]
}

async function refuse(
  { count }: ScenarioContext,
  stage: Stage,
  { owners, status, requests }: Refusal,
): Promise<Check[]> {
  const calls = count(CALLS, 12)
  const { client } = anyReplica(stage)
  const send = async (some: number) =>
    (await storm([client], some, (index) => requests[index % requests.length] ?? { method: 'GET', path: '/' })).statuses
  for (let tries = 1; ; tries += 1) {
    if (status === 429) while ((await send(60)).get(429) !== 60);
    const before = await spent(stage, owners)
    const refused = await refusedOf(send, calls, status)
    const after = await spent(stage, owners)
    // A unit may have come in; and usage is told by the hour, across whose end there is nothing to compare.
    const isUnclear = (status === 429 && refused < calls) || before['hour'] !== after['hour']
    if (isUnclear && tries < MOST_TRIES) continue
    const cost = Object.keys(before).filter((name) => before[name] !== after[name])
    return [
      exactly(`calls refused with ${status}`, refused, calls),
      none(`costs of calls refused with ${status}`, cost),
    ]
  }
}

type Send = (some: number) => Promise<ReadonlyMap<number, number>>

/** In portions where a server looks at its buckets again after a rest. */
async function refusedOf(send: Send, calls: number, status: number): Promise<number> {
  const portion = Math.ceil(calls / (status === 429 ? PORTIONS : 1))
  let refused = 0
  for (let sent = 0; sent < calls; sent += portion) {
    if (sent > 0) await pause(REST_MS)
    refused += (await send(Math.min(portion, calls - sent))).get(status) ?? 0
  }
  return refused
}

/** Everything that a call may leave behind, by name. */
async function spent(stage: Stage, owners: readonly LabOwner[]): Promise<Record<string, string>> {
  const { client } = anyReplica(stage)
  const usage = await Promise.all(
    owners.map(async (owner) => BillingUsage.parse(await get(client, '/v1/billing/usage', owner))),
  )
  const text = async (sql: string) => JSON.stringify(await stage.store.query(sql))
  return {
    'allowances drawn': await text('select owner_id, bucket, full_at from allowances order by owner_id, bucket'),
    'executions stored': await text('select count(*) as count, sum(call_count) as calls from executions'),
    'usage told': JSON.stringify(usage.map(({ executions, anonymous }) => [executions.used, anonymous.used])),
    hour: usage[0]?.periodStart ?? '',
    'calls at the endpoint': String(stage.effects.size),
    'requests to the model': String(sum([...stage.modelRequests.values()])),
  }
}
