import { type CreatedRuntime, type DeploymentManifestInput, ExecuteResponse, type Tier, Trace } from '@svc/contract'
import { type CapabilityScript, type OwnerEndpoint, startOwnerEndpoint } from '@svc/testkit'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { type SendOptions, startService, type TestOwner, type TestService, type TestServiceOptions } from './service.ts'

export interface SceneOptions extends TestServiceOptions {
  tier?: Tier
  /** What the endpoint does by capability; `echo` gives its input back unless it is scripted otherwise. */
  handle?: Readonly<Record<string, CapabilityScript>>
  /** Null deploys nothing. */
  manifest?: Partial<DeploymentManifestInput> | null
}

/** A service with one owner, whose one runtime is deployed and answers from a scripted endpoint. */
export interface Scene {
  readonly database: Database
  readonly service: TestService
  readonly endpoint: OwnerEndpoint
  readonly owner: TestOwner
  /** The token of a session of the owner’s, who signs in with the password of all tests. */
  readonly session: string
  readonly runtime: CreatedRuntime
  /** A chat turn through the public key. */
  execute(body?: object, options?: SendOptions): Promise<LightMyRequestResponse>
  /** The same on the owner plane. */
  executeAsOwner(body?: object): Promise<LightMyRequestResponse>
  /** An anonymous call. */
  broker(capability: string, body?: object): Promise<LightMyRequestResponse>
  /** A page's call of one capability. */
  call(body: object, options?: SendOptions): Promise<LightMyRequestResponse>
  trace(executionId: string): Promise<Trace>
  /** What the owner was charged and what was recorded: equal before and after whatever costs nothing. */
  charged(): Promise<{ allowances: unknown; executions: number }>
  usage(): Promise<UsageTotals>
}

export interface UsageTotals {
  executions: number
  completed: number
  failed: number
  anonymous: number
  capability_calls: number
  input_tokens: number
  output_tokens: number
}

/** Sets a scene that is struck when the running test has finished. */
export async function setScene(database: Database, options: SceneOptions = {}): Promise<Scene> {
  const { scene, end } = await buildScene(database, options)
  onTestFinished(end)
  return scene
}

/** One scene for the tests of the enclosing `describe`, none of which may change what another one finds. */
export function useScene(database: () => Database, options: SceneOptions = {}): () => Scene {
  let built: Awaited<ReturnType<typeof buildScene>> | undefined
  beforeAll(async () => {
    built = await buildScene(database(), options)
  })
  afterAll(() => built?.end())
  return () => {
    if (built === undefined) throw new Error('the scene is there once the tests run, not while they are defined')
    return built.scene
  }
}

async function buildScene(
  database: Database,
  options: SceneOptions,
): Promise<{ scene: Scene; end: () => Promise<void> }> {
  const { tier = 'free', handle = {}, manifest = {}, ...serviceOptions } = options
  const service = await startService(database, serviceOptions)
  const endpoint = await startOwnerEndpoint({
    handle: { echo: (call) => ({ output: call.input }), ...handle },
    now: () => service.clock.now(),
  })
  const end = async () => {
    await service.close()
    await endpoint.close()
  }
  const owner = await service.owner(tier)
  const runtime = await service.runtime(owner, { endpoint: endpoint.url })
  endpoint.trust({ runtimeId: runtime.runtimeId, secrets: [runtime.secret] })
  if (manifest !== null) await deployed(service, runtime, manifest)
  const session = await service.signedIn(owner)
  const scene = { database, service, endpoint, owner, session, runtime }
  return { scene: { ...scene, ...actions(service, { database, owner, runtime }) }, end }
}

/** Deploys, and fails the test where that is refused. */
export async function deployed(
  service: TestService,
  runtime: CreatedRuntime,
  manifest: Partial<DeploymentManifestInput> = {},
): Promise<void> {
  const answer = await service.deploy(runtime, manifest)
  if (answer.statusCode !== 201) throw new Error(`the deployment was refused: ${answer.body}`)
}

/** What a user says, as a body for execute. */
export function saying(content = 'Hello') {
  return { messages: [{ role: 'user', parts: [{ type: 'text', content }] }] }
}

/** The answer to an execute, which must have been 200. */
export function executed(answer: LightMyRequestResponse): ExecuteResponse {
  if (answer.statusCode !== 200) throw new Error(`execute answered ${answer.statusCode}: ${answer.body}`)
  return ExecuteResponse.parse(answer.json())
}

/** Every row of every table, as text. */
export async function dumpTables({ db }: Database): Promise<string> {
  const tables = await db.introspection.getTables()
  const dumps = await Promise.all(
    tables.map(({ name }) => sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)),
  )
  return dumps.map(({ rows }) => JSON.stringify(rows)).join('\n')
}

type Actions = Omit<Scene, 'database' | 'service' | 'endpoint' | 'owner' | 'session' | 'runtime'>

/** The same actions through another service, as a caller that a balancer sends to another replica. */
export function actions(
  service: TestService,
  { database, owner, runtime }: Pick<Scene, 'database' | 'owner' | 'runtime'>,
): Actions {
  const { ownerId } = owner
  return {
    execute: (body = saying(), options) =>
      service.send('POST', '/v1/runtime/execute', { key: runtime.publicKey, body, ...options }),
    executeAsOwner: (body = {}) =>
      service.send('POST', '/v1/executions', {
        key: owner.apiKey,
        body: { runtimeId: runtime.runtimeId, ...saying(), ...body },
      }),
    broker: (capability, body = {}) =>
      service.send('POST', `/v1/capabilities/${runtime.runtimeId}/${capability}`, { body }),
    call: (body, options) =>
      service.send('POST', '/v1/runtime/capability', { key: runtime.publicKey, body, ...options }),
    async trace(executionId) {
      const answer = await service.send('GET', `/v1/executions/${executionId}`, { key: owner.apiKey })
      return Trace.parse(answer.json())
    },
    async charged() {
      const allowances = await database.db
        .selectFrom('allowances')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .orderBy('bucket')
        .execute()
      const executions = await database.db
        .selectFrom('executions')
        .select('status')
        .where('owner_id', '=', ownerId)
        .execute()
      return { allowances, executions: executions.length }
    },
    async usage() {
      await service.deps.aggregation.catchUp()
      return usageOf(database, ownerId)
    },
  }
}

async function usageOf({ db }: Database, ownerId: string): Promise<UsageTotals> {
  const rows = await db
    .selectFrom('execution_rollups')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('grain', '=', 'hour')
    .execute()
  const total = (column: keyof UsageTotals) => rows.reduce((sum, row) => sum + row[column], 0)
  return {
    executions: total('executions'),
    completed: total('completed'),
    failed: total('failed'),
    anonymous: total('anonymous'),
    capability_calls: total('capability_calls'),
    input_tokens: total('input_tokens'),
    output_tokens: total('output_tokens'),
  }
}
