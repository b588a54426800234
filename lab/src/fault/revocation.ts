import { RotatedKey } from '@svc/contract'
import { post } from '../support/environment.ts'
import { exactly, type Scenario } from '../support/scenario.ts'
import { CAPABILITY, openLoadTarget } from './load-target.ts'
import { storm } from './storm.ts'

const ROUNDS = 50
const CALLS_A_ROUND = 20
/** Calls on each server before the key is revoked, so that it remembers the key. */
const WARM_CALLS = 2

export const revocation: Scenario = {
  name: 'revocation',
  title: 'A revoked key opens nothing from the next call on, on any server',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const replicas = context.engine === 'sqlite' ? 1 : 2
    const target = await openLoadTarget(context, { replicas, connections: CALLS_A_ROUND })
    // The rounds make more calls than the rate of a smaller plan.
    const owner = await target.openOwner('enterprise@example.com', 'enterprise')
    const runtime = await target.openRuntime(owner)
    const { live } = target.replicaSet
    const clients = live.map(({ client }) => client)
    const rounds = context.count(ROUNDS)
    let [key, warm, refused] = [runtime.publicKey, 0, 0]
    const body = { capability: CAPABILITY, input: { op: 0, ms: 0, reset: false } }
    const call = async (count: number) =>
      (await storm(clients, count, () => ({ path: '/v1/runtime/capability', key, body }))).statuses
    for (let round = 0; round < rounds; round += 1) {
      // Through each server in its turn.
      const url = `${live[round % live.length]?.server.url}/v1/runtimes/${runtime.runtimeId}`
      warm += (await call(live.length * WARM_CALLS)).get(200) ?? 0
      await post(`${url}/revoke-key`, owner.apiKey, { type: 'public' })
      refused += (await call(CALLS_A_ROUND)).get(401) ?? 0
      key = RotatedKey.parse(await post(`${url}/rotate-key`, owner.apiKey, { type: 'public' })).key
    }
    return [
      exactly('calls let in before, on every server', warm, rounds * live.length * WARM_CALLS),
      exactly('calls with a revoked key that were refused', refused, rounds * CALLS_A_ROUND),
      exactly('calls that reached the endpoint', target.effects.size, warm),
    ]
  },
}
