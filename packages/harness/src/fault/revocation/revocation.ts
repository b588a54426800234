import { RotatedKey } from '@svc/contract'
import type { Client, ClientRequest } from '../../support/client.ts'
import { createOwner, type HarnessOwner } from '../../support/owner.ts'
import { exactly, type Scenario } from '../../support/scenario.ts'
import { createStore } from '../../support/store.ts'
import { CAPABILITY } from '../planned-model.ts'
import { storm } from '../quota/storm.ts'
import { openRuntime, openStage } from '../site.ts'

const ROUNDS = 50
const CALLS_A_ROUND = 20
/** Calls on each server before the key is revoked, so that it remembers the key. */
const WARM_CALLS = 2

/** Revokes keys that every server has just been using. */
export const revocation: Scenario = {
  name: 'revocation',
  title: 'A revoked key opens nothing from the next call on, on any server',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const store = await createStore(context.engine, context.env)
    context.onEnd(() => store.remove())
    const replicas = context.engine === 'sqlite' ? 1 : 2
    const stage = await openStage(context, { store, replicas, connections: CALLS_A_ROUND })
    const owner = await createOwner(stage.serverOptions, 'pro@example.com', 'pro')
    const runtime = await openRuntime(stage, owner, 'Revoked')
    const clients = stage.fleet.live.map(({ client }) => client)
    const rounds = context.count(ROUNDS)
    let [key, warm, refused] = [runtime.publicKey, 0, 0]
    for (let round = 0; round < rounds; round += 1) {
      const used = await storm(clients, clients.length * WARM_CALLS, () => callWith(key))
      warm += used.statuses.get(200) ?? 0
      await change(clients, round, owner, `/v1/runtimes/${runtime.runtimeId}/revoke-key`)
      const after = await storm(clients, CALLS_A_ROUND, () => callWith(key))
      refused += after.statuses.get(401) ?? 0
      key = RotatedKey.parse(await change(clients, round, owner, `/v1/runtimes/${runtime.runtimeId}/rotate-key`)).key
    }
    return [
      exactly('calls let in before, on every server', warm, rounds * clients.length * WARM_CALLS),
      exactly('calls with a revoked key that were refused', refused, rounds * CALLS_A_ROUND),
      exactly('calls that reached the endpoint', stage.endpoint.effects.size, warm),
    ]
  },
}

function callWith(key: string): ClientRequest {
  const body = { capability: CAPABILITY, input: { op: 0, ms: 0, reset: false } }
  return { method: 'POST', path: '/v1/runtime/capability', key, body }
}

/** Changes the public key through one server, each in its turn. */
async function change(clients: readonly Client[], turn: number, owner: HarnessOwner, path: string): Promise<unknown> {
  const client = clients[turn % clients.length]
  const heard = await client?.send({ method: 'POST', path, key: owner.apiKey, body: { type: 'public' } })
  if (heard?.kind !== 'answer' || heard.status !== 200) throw new Error(`${path}: ${JSON.stringify(heard)}`)
  return JSON.parse(heard.text)
}
