import pg from 'pg'
import { createOwner, deploy, registerRuntime } from '../../support/owner.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { startServer } from '../../support/server.ts'
import type { Store } from '../../support/store.ts'

/** Whose runtimes are called. */
export interface Tenants {
  /** All of one owner: every call draws on the same two buckets of a plan. */
  oneOwner: readonly [string, ...string[]]
  /** Each of another owner. */
  manyOwners: readonly [string, ...string[]]
}

const CAPABILITY = 'orders-find'

export interface TenantsPlan {
  store: Store
  endpoint: string
  runtimesOfOne: number
  owners: number
}

/**
 * Registers runtimes over the API, gives all but those of one owner to owners of their own, in the database, and puts
 * everybody on a plan that has every bucket there is. A replica lets 200 calls of a runtime through at once, and 200 a
 * minute: a count of runtimes bounds the calls of a run. No server is left running.
 */
export async function createTenants(
  context: ScenarioContext,
  { store, endpoint, runtimesOfOne, owners }: TenantsPlan,
): Promise<Tenants> {
  const options = { store, serverFolder: context.serverFolder, env: context.env }
  const owner = await createOwner(options, 'one@example.com', 'enterprise')
  const server = await startServer(options)
  const ids: string[] = []
  for (let index = 0; index < runtimesOfOne + owners; index += 1) {
    const runtime = await registerRuntime(server.url, owner, { name: `Shop ${index}`, endpoint })
    await deploy(server.url, runtime, [CAPABILITY])
    ids.push(runtime.runtimeId)
  }
  server.kill('SIGTERM')
  await server.ended
  await giveAway(store, ids.slice(runtimesOfOne))
  return { oneOwner: pathsOf(ids.slice(0, runtimesOfOne)), manyOwners: pathsOf(ids.slice(runtimesOfOne)) }
}

function pathsOf(runtimeIds: readonly string[]): [string, ...string[]] {
  const [first, ...rest] = runtimeIds.map((runtimeId) => `/v1/capabilities/${runtimeId}/${CAPABILITY}`)
  if (first === undefined) throw new Error('nobody has a runtime')
  return [first, ...rest]
}

async function giveAway(store: Store, runtimeIds: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: store.location })
  await client.connect()
  const owners = `select runtime_id, 'own_' || substr(runtime_id, 4) as owner_id from unnest($1::text[]) as given(runtime_id)`
  try {
    await client.query('begin')
    await client.query(
      `insert into owners (owner_id, email, tier, created_at)
       select owner_id, lower(owner_id) || '@example.com', 'pro', 0 from (${owners}) as given`,
      [runtimeIds],
    )
    for (const table of ['runtimes', 'deployments', 'credentials']) {
      await client.query(
        `update ${table} set owner_id = given.owner_id from (${owners}) as given where ${table}.runtime_id = given.runtime_id`,
        [runtimeIds],
      )
    }
    // Rate buckets come with the first call.
    await client.query('delete from allowances')
    await client.query(`update owners set tier = 'pro'`)
    await client.query('commit')
  } finally {
    await client.end()
  }
}
