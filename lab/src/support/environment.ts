import { CreatedRuntime, type DeploymentManifestInput, type Tier } from '@svc/contract'
import type { ProgramEnd } from '@svc/testkit'
import { z } from 'zod'
import type { ScenarioContext } from './scenario.ts'
import {
  endedWithin,
  NO_LOOP_DELAY_LIMIT,
  runAdmin,
  type ServerOptions,
  type ServerProcess,
  startServer,
} from './server.ts'
import { createStore } from './store.ts'

const Owner = z.object({ ownerId: z.string(), email: z.string(), apiKey: z.string() })
export type LabOwner = z.infer<typeof Owner>

export type Environment = Awaited<ReturnType<typeof openEnvironment>>
export type EnvironmentOptions = Partial<Omit<ServerOptions, 'serverFolder' | 'env'>>

/** A server on a database of its own, with one owner on the largest plan. Both are removed with the scenario. */
export async function openEnvironment(context: ScenarioContext, given: EnvironmentOptions = {}) {
  const { env, serverFolder } = context
  const store = given.store ?? (await createStore(context))
  const options: ServerOptions = { ...given, store, serverFolder, env }
  const server = await startWatched(context, options)
  return { store, options, server, owner: await createOwner(options, 'owner@example.com', 'enterprise') }
}

/** An environment with runtimes that serve `act` at the endpoint. Its server accepts bursts of calls on a slow machine, too. */
export async function openServingEnvironment(
  context: ScenarioContext,
  { endpoint, variables, ...options }: EnvironmentOptions & { endpoint: string },
) {
  const environment = await openEnvironment(context, {
    ...options,
    variables: { ...NO_LOOP_DELAY_LIMIT, ...variables },
  })
  const runtimes: [CreatedRuntime, ...CreatedRuntime[]] = [await addRuntime(environment, endpoint)]
  while (runtimes.length < 4) runtimes.push(await addRuntime(environment, endpoint))
  return { ...environment, runtimes }
}

export type ServingEnvironment = Awaited<ReturnType<typeof openServingEnvironment>>

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

/** True where a request on a new connection gets a status from 200 to 299. */
export function isOk(url: string): Promise<boolean> {
  const asked = fetch(url, { headers: { connection: 'close' } })
  return asked.then(({ ok }) => ok).catch(() => false)
}

/** 1 where a server still answers, 0 where it does not. */
export async function countAlive({ url }: Pick<ServerProcess, 'url'>): Promise<number> {
  return (await isOk(`${url}/health`)) ? 1 : 0
}

/** Makes an account with the operator's command, beside a running server or without one. */
export async function createOwner(options: ServerOptions, email: string, tier: Tier): Promise<LabOwner> {
  return Owner.parse(await runAdmin(options, ['create-owner', '--email', email, '--tier', tier]))
}

/** A runtime of an account of its own, on the largest plan. */
export async function addTenant(
  { options, server }: Environment,
  { email, endpoint }: { email: string; endpoint: string },
): Promise<CreatedRuntime> {
  return addRuntime({ server, owner: await createOwner(options, email, 'enterprise') }, endpoint)
}

export type ApiAccess = { server: Pick<ServerProcess, 'url'>; owner: Pick<LabOwner, 'apiKey'> }

/** Registers a runtime, and deploys `act` to it unless the manifest says otherwise. */
export async function addRuntime(
  access: ApiAccess,
  endpoint: string | undefined,
  manifest: Partial<DeploymentManifestInput> | null = capability('act'),
): Promise<CreatedRuntime> {
  const fields = { name: 'Lab', ...(endpoint !== undefined && { endpoint }) }
  const runtime = CreatedRuntime.parse(await post(`${access.server.url}/v1/runtimes`, access.owner.apiKey, fields))
  const website = { name: 'Lab', url: 'https://shop.example.com' }
  const body = { manifest: { schemaVersion: 2, website, ...manifest } }
  if (manifest !== null) await post(`${access.server.url}/v1/deployments`, runtime.deployKey, body)
  return runtime
}

/** Where anonymous callers call a capability. */
export function brokerPath({ runtimeId }: Pick<CreatedRuntime, 'runtimeId'>, name = 'act'): string {
  return `/v1/capabilities/${runtimeId}/${name}`
}

/** A manifest of one capability that takes any object. */
export function capability(name: string) {
  const actions = [{ name, inputSchema: { type: 'object' } }]
  return { capabilities: [{ name, version: '1.0.0', description: `Does ${name}.`, actions }] }
}

/** The messages of an execute with one text. */
export function saying(content: string) {
  return [{ role: 'user', parts: [{ type: 'text', content }] }]
}

/** Posts JSON and returns the parsed answer. Throws one that is no success. */
export function post(url: string, key: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return ask(url, key, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The parsed answer to a `GET`. Throws one that is no success. */
export function get(url: string, key: string): Promise<unknown> {
  return ask(url, key, {})
}

async function ask(url: string, key: string, request: RequestInit): Promise<unknown> {
  const headers = { ...request.headers, authorization: `Bearer ${key}` }
  const answer = await fetch(url, { ...request, headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}
