import { createClient } from '../support/client.ts'
import { atLeast, atMost, exactly, type Scenario } from '../support/scenario.ts'
import { runAdmin } from '../support/server.ts'
import { openCalledWorld } from '../support/world.ts'

const CONNECTIONS = 4
const FLOOD_MS = 10_000
// Half of the default, so that a slow machine comes to it within the time.
const PER_HOUR = 30
const KEPT = 10
const MANIFEST_BYTES = 900_000

export const deployFlood: Scenario = {
  name: 'deploy-flood',
  title: 'One account deploys all it can: its stored bytes are bounded, and come back',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const variables = { SVC_LIMIT_DEPLOYMENTS_PER_HOUR: String(PER_HOUR), SVC_LIMIT_DEPLOYMENTS_KEPT: String(KEPT) }
    const world = await openCalledWorld(context, { endpoint: 'http://127.0.0.1:9', variables, runtimeCount: 1 })
    const client = createClient(world.server.url, CONNECTIONS)
    context.onEnd(client.close)
    const until = performance.now() + context.count(FLOOD_MS, 3_000)
    const text = JSON.stringify({ manifest: largeManifest() })
    const key = world.runtimes[0].deployKey
    const statuses: number[] = []
    const deployer = async () => {
      while (performance.now() < until) {
        const heard = await client.send({ method: 'POST', path: '/v1/deployments', key, text })
        statuses.push(heard.kind === 'answer' ? heard.status : 0)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, deployer))
    const accepted = statuses.filter((status) => status === 201).length
    const refused = statuses.filter((status) => status === 429).length
    const count = 'select count(*) as kept, coalesce(sum(octet_length(manifest)), 0) as bytes from deployments'
    const [stored] = await world.store.query(count)
    await runAdmin(world.options, ['prune', '--keep-deployments', '1'])
    const [left] = await world.store.query(count)
    return [
      // The scene itself has deployed once, and a unit comes back each minute.
      atMost('deployments accepted', accepted, PER_HOUR),
      atLeast('deployments refused with 429', refused, 1),
      exactly('other answers', statuses.length - accepted - refused, 0),
      atMost('deployments kept', Number(stored?.['kept']), KEPT),
      atMost('MB of manifests kept', Number(stored?.['bytes']) / 1e6, (KEPT * MANIFEST_BYTES * 1.1) / 1e6),
      exactly('deployments left by prune, one kept', Number(left?.['kept']), 1),
    ]
  },
}

// Descriptions of schemas: nothing that takes long to check.
function largeManifest() {
  const description = 'x'.repeat(MANIFEST_BYTES / 100 - 300)
  const capabilities = Array.from({ length: 100 }, (_, index) => {
    const name = `act${index}`
    const inputSchema = { type: 'object', description }
    return { name, version: '1.0.0', description: 'Acts.', actions: [{ name, inputSchema }] }
  })
  return { schemaVersion: 2, website: { name: 'Flood', url: 'https://shop.example.com' }, capabilities }
}
