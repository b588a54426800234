import type { CreatedRuntime } from '@svc/contract'
import type { ProgramEnd } from '@svc/testkit'
import { createOwner, type HarnessOwner, registerRuntime } from '../../support/owner.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { endedWithin, type ServerOptions, type ServerProcess, startServer } from '../../support/server.ts'
import { createStore, type Store } from '../../support/store.ts'
import { type LeanEndpoint, startLeanEndpoint } from './lean-endpoint.ts'

/** A server with an owner and an owner's endpoint, all of it gone when the scenario ends. */
export interface Stage {
  store: Store
  options: ServerOptions
  server: ServerProcess
  owner: HarnessOwner
  endpoint: LeanEndpoint
  /** Another runtime of the owner's, at the endpoint. */
  runtime(name: string): Promise<CreatedRuntime>
  /** Tells the server to stop, and gives what it printed. */
  stop(): Promise<ProgramEnd>
}

/** Starts all that a scenario attacks. `options` add to how the server is started. */
export async function setStage(
  context: ScenarioContext,
  options: Partial<Pick<ServerOptions, 'variables' | 'wrapper' | 'store' | 'nodeArguments'>> = {},
): Promise<Stage> {
  const { engine, env, serverFolder, onEnd } = context
  const store = options.store ?? (await createStore(engine, env))
  onEnd(() => store.remove())
  const all: ServerOptions = { ...options, store, serverFolder, env }
  const endpoint = await startLeanEndpoint()
  onEnd(() => endpoint.close())
  const server = await startServer(all)
  onEnd(() => server.kill())
  const owner = await createOwner(all, 'owner@example.com', 'enterprise')
  return {
    store,
    options: all,
    server,
    owner,
    endpoint,
    runtime: (name) => registerRuntime(server.url, owner, { name, endpoint: endpoint.url }),
    async stop() {
      server.kill('SIGTERM')
      return (await endedWithin(server)).end
    },
  }
}

/** Lines of the log that tell of a fault of the server's own. */
export function errorLines({ stderr }: ProgramEnd): string[] {
  return stderr.split('\n').filter((line) => /"level":(?:50|60)/.test(line) || /^\s*at |UnhandledPromise/.test(line))
}
