import { CreatedRuntime, type DeploymentManifestInput, type Tier } from '@svc/contract'
import type { ProgramEnd } from '@svc/testkit'
import { z } from 'zod'
import type { ScenarioContext } from './scenario.ts'
import { endedWithin, PATIENT, runAdmin, type ServerOptions, type ServerProcess, startServer } from './server.ts'
import { createStore, type Store } from './store.ts'

const Owner = z.object({ ownerId: z.string(), email: z.string(), apiKey: z.string() })
export type LabOwner = z.infer<typeof Owner>

/** A server on a database of its own, with one owner. */
export interface World {
  store: Store
  options: ServerOptions
  server: ServerProcess
  owner: LabOwner
}

export type WorldOptions = Partial<Omit<ServerOptions, 'serverFolder' | 'env'>> & { tier?: Tier }

/** Everything is taken down with the scenario. */
export async function openWorld(context: ScenarioContext, given: WorldOptions = {}): Promise<World> {
  const { tier = 'enterprise', ...rest } = given
  const store = given.store ?? (await createStore(context.engine, context.env))
  context.onEnd(() => store.remove())
  const { env, serverFolder } = context
  const options: ServerOptions = { ...rest, store, serverFolder, env }
  const server = await startWatched(context, options)
  return { store, options, server, owner: await createOwner(options, 'owner@example.com', tier) }
}

/** A world whose server takes storms of calls on a slow machine, too, with runtimes that serve `act` at the endpoint. */
export async function openCalledWorld(
  context: ScenarioContext,
  { endpoint, runtimeCount = 4, variables, ...options }: WorldOptions & { endpoint: string; runtimeCount?: number },
) {
  const world = await openWorld(context, { ...options, variables: { ...PATIENT, ...variables } })
  const first = await addRuntime(world, endpoint)
  const runtimes: [CreatedRuntime, ...CreatedRuntime[]] = [first]
  while (runtimes.length < runtimeCount) runtimes.push(await addRuntime(world, endpoint))
  return { ...world, runtimes }
}

export type CalledWorld = Awaited<ReturnType<typeof openCalledWorld>>

/** A server that is killed with the scenario, if it still runs. */
export async function startWatched(context: ScenarioContext, options: ServerOptions): Promise<ServerProcess> {
  const server = await startServer(options)
  context.onEnd(async () => {
    server.kill()
    await endedWithin(server)
  })
  return server
}

/** Tells a server to stop, and gives its output. */
export async function stopServer(server: ServerProcess): Promise<ProgramEnd> {
  server.kill('SIGTERM')
  return (await endedWithin(server)).end
}

/** Lines of a server's log that tell of a fault of its own. */
export function errorLines({ stderr }: ProgramEnd): string[] {
  return stderr.split('\n').filter((line) => /"level":(?:50|60)/.test(line) || /^\s*at |UnhandledPromise/.test(line))
}

/** Makes an account with the operator's command, beside a running server or without one. */
export async function createOwner(options: ServerOptions, email: string, tier: Tier): Promise<LabOwner> {
  return Owner.parse(await runAdmin(options, ['create-owner', '--email', email, '--tier', tier]))
}

export type Site = { server: Pick<ServerProcess, 'url'>; owner: Pick<LabOwner, 'apiKey'> }

/** Registers a runtime, and deploys `act` to it unless the manifest says otherwise. */
export async function addRuntime(
  site: Site,
  endpoint: string | undefined,
  manifest: Partial<DeploymentManifestInput> | null = capability('act'),
): Promise<CreatedRuntime> {
  const fields = endpoint === undefined ? { name: 'Lab' } : { name: 'Lab', endpoint }
  const runtime = CreatedRuntime.parse(await post(`${site.server.url}/v1/runtimes`, site.owner.apiKey, fields))
  if (manifest !== null) await deploy(site.server.url, runtime, manifest)
  return runtime
}

/** A manifest of capabilities that take any object. */
export function capability(...names: readonly string[]): Pick<DeploymentManifestInput, 'capabilities'> {
  const of = (name: string) => ({ name, version: '1.0.0', description: `Does ${name}.`, actions: [actionOf(name)] })
  return { capabilities: names.map(of) }
}

function actionOf(name: string) {
  return { name, inputSchema: { type: 'object' } } as const
}

export async function deploy(
  url: string,
  { deployKey }: Pick<CreatedRuntime, 'deployKey'>,
  manifest: Partial<DeploymentManifestInput>,
): Promise<void> {
  const website = { name: 'Lab', url: 'https://shop.example.com' }
  await post(`${url}/v1/deployments`, deployKey, { manifest: { schemaVersion: 2, website, ...manifest } })
}

/** Posts JSON and returns the parsed answer. Throws one that is no success. */
export async function post(url: string, key: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}
