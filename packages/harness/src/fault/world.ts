import type { CreatedRuntime, Tier } from '@svc/contract'
import { createOwner, deploy, type HarnessOwner, registerRuntime } from '../support/owner.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { endedWithin, PATIENT, type ServerOptions, type ServerProcess, startServer } from '../support/server.ts'
import { createStore, type Store } from '../support/store.ts'

/** A server on a database of its own, with one owner and runtimes that serve the capability `act`. */
export interface World {
  store: Store
  options: ServerOptions
  server: ServerProcess
  owner: HarnessOwner
  runtimes: readonly [CreatedRuntime, ...CreatedRuntime[]]
}

export interface WorldWish {
  endpoint: string
  variables: Readonly<Record<string, string>>
  /** Each has a rate limit of its own, 6,000 calls a minute through each door. */
  runtimeCount?: number
  tier?: Tier
  nodeArguments?: readonly string[]
  store?: Store
}

/** Everything is taken down with the scenario. */
export async function openWorld(context: ScenarioContext, wish: WorldWish): Promise<World> {
  const { endpoint, variables, runtimeCount = 4, tier = 'enterprise', nodeArguments = [] } = wish
  const store = wish.store ?? (await createStore(context.engine, context.env))
  context.onEnd(() => store.remove())
  const { env, serverFolder } = context
  const options: ServerOptions = { store, serverFolder, env, variables: { ...PATIENT, ...variables }, nodeArguments }
  const server = await startWatched(context, options)
  const owner = await createOwner(options, 'owner@example.com', tier)
  const first = await addRuntime(server.url, owner, endpoint)
  const others: CreatedRuntime[] = []
  while (others.length < runtimeCount - 1) others.push(await addRuntime(server.url, owner, endpoint))
  return { store, options, server, owner, runtimes: [first, ...others] }
}

/** A server that is killed with the scenario, if it still runs. */
export async function startWatched(context: ScenarioContext, options: ServerOptions): Promise<ServerProcess> {
  const server = await startServer(options)
  context.onEnd(async () => {
    server.kill()
    await endedWithin(server)
  })
  return server
}

/** A runtime of this owner's that serves `act` at the endpoint. */
export async function addRuntime(url: string, owner: HarnessOwner, endpoint: string): Promise<CreatedRuntime> {
  const runtime = await registerRuntime(url, owner, { name: 'Harness', endpoint })
  await deploy(url, runtime, ['act'])
  return runtime
}
