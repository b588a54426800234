import { createClient } from '../../support/client.ts'
import { atLeast, atMost, type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { runAdmin } from '../../support/server.ts'
import { startCallCounter } from '../call-counter.ts'
import { openWorld } from '../world.ts'

const CONNECTIONS = 4
const FLOOD_MS = 10_000
// Half of the default, and less: a slow machine comes to it, too, within the time.
const PER_HOUR = 30
const KEPT = 10
const MANIFEST_BYTES = 900_000

/** Four connections that deploy all they can, to one runtime. */
export const deployFlood: Scenario = {
  name: 'deploy-flood',
  title: 'One account deploys all it can: what it stores is bounded, and comes back',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const endpoint = await startCallCounter({ outputBytes: 10 })
    context.onEnd(endpoint.close)
    const variables = { SVC_LIMIT_DEPLOYMENTS_PER_HOUR: String(PER_HOUR), SVC_LIMIT_DEPLOYMENTS_KEPT: String(KEPT) }
    const world = await openWorld(context, { endpoint: endpoint.url, variables, runtimeCount: 1 })
    const flood = await deployAll(context, world.server.url, world.runtimes[0].deployKey)
    const [stored] = await world.store.query(
      'select count(*) as kept, coalesce(sum(octet_length(manifest)), 0) as bytes from deployments',
    )
    await runAdmin(world.options, ['prune', '--keep-deployments', '1'])
    const [left] = await world.store.query('select count(*) as kept from deployments')
    return toChecks(flood, {
      kept: Number(stored?.['kept']),
      bytes: Number(stored?.['bytes']),
      left: Number(left?.['kept']),
    })
  },
}

interface Flood {
  accepted: number
  refused: number
  others: number
}

async function deployAll(context: ScenarioContext, url: string, key: string): Promise<Flood> {
  const client = createClient(url, CONNECTIONS)
  context.onEnd(client.close)
  const flood = { accepted: 0, refused: 0, others: 0 }
  const until = performance.now() + context.count(FLOOD_MS, 3_000)
  const text = JSON.stringify({ manifest: largeManifest() })
  const deployer = async () => {
    while (performance.now() < until) {
      const heard = await client.send({ method: 'POST', path: '/v1/deployments', key, text })
      const status = heard.kind === 'answer' ? heard.status : 0
      if (status === 201) flood.accepted += 1
      else if (status === 429) flood.refused += 1
      else flood.others += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, deployer))
  return flood
}

// Descriptions of schemas: nothing that takes long to check.
function largeManifest() {
  const names = Array.from({ length: 100 }, (_, index) => `act${index}`)
  const description = 'x'.repeat(Math.floor(MANIFEST_BYTES / names.length) - 300)
  const capabilities = names.map((name) => ({
    name,
    version: '1.0.0',
    description: 'Acts.',
    actions: [{ name, inputSchema: { type: 'object', description } }],
  }))
  return { schemaVersion: 2, website: { name: 'Flood', url: 'https://shop.example.com' }, capabilities }
}

function toChecks(flood: Flood, stored: { kept: number; bytes: number; left: number }): Check[] {
  return [
    // The scene itself has deployed once, and a unit comes back each minute.
    atMost('deployments accepted', flood.accepted, PER_HOUR),
    atLeast('deployments refused with 429', flood.refused, 1),
    exactly('other answers', flood.others, 0),
    atMost('deployments kept', stored.kept, KEPT),
    atMost('bytes of manifests kept', stored.bytes / 1e6, (KEPT * MANIFEST_BYTES * 1.1) / 1e6, 'MB'),
    exactly('deployments left by prune, one kept', stored.left, 1),
  ]
}
