import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { CreatedRuntime, type DeploymentManifestInput, type ModelPrices, type Tier } from '@svc/contract'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createOwner, type Owner } from '../../src/accounts/accounts.ts'
import { findPassword, setPassword } from '../../src/accounts/password-store.ts'
import type { PasswordHasher } from '../../src/accounts/scrypt.ts'
import { beginSession } from '../../src/accounts/sessions.ts'
import type { LoopDelay } from '../../src/admission/loop-delay.ts'
import { createApp } from '../../src/app.ts'
import type { Payments } from '../../src/billing/payments/payments.ts'
import { testPayments } from '../../src/billing/payments/test-payments.ts'
import { createDeps } from '../../src/create-deps.ts'
import type { Deps } from '../../src/deps.ts'
import type { WriteBatch } from '../../src/executions/batch-store.ts'
import { flush } from '../../src/http/drain.ts'
import { createWorkerThread } from '../../src/lib/worker-thread.ts'
import { DEFAULT_LIMITS, type Limits } from '../../src/limits.ts'
import { createMailer, type Mailer } from '../../src/mail/mailer.ts'
import type { Model } from '../../src/model/model.ts'
import { createSchemaJobs } from '../../src/schemas/jobs.ts'
import { createSchemas, type Schemas, type SchemaThread } from '../../src/schemas/schemas.ts'
import { createKeyring } from '../../src/secrets/keyring.ts'
import type { Database } from '../../src/store/database.ts'
import type { Pause } from '../../src/store/retry.ts'
import type { Metrics } from '../../src/telemetry/metrics.ts'
import type { Tracer } from '../../src/telemetry/tracing.ts'
import type { WebFiles } from '../../src/web/web-files.ts'
import { checkAnswers } from './check-answers.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { type ScriptedModel, scriptedModel } from './scripted-model.ts'

export interface TestServiceOptions {
  limits?: Partial<Limits>
  clock?: TestClock
  /** None: the same clock. */
  monotonicClock?: TestClock
  /** In place of an event loop that is never late. */
  loopDelay?: LoopDelay
  /** The work that a pause between tries to reach the database waits for, once it has moved the clock. */
  pause?: Pause
  masterKey?: Buffer
  nodeId?: string
  allowLocalEndpoints?: boolean
  /** In place of one whose mails nobody gets; null is none at all. */
  mailer?: Mailer | null
  /** In place of the scripted one. */
  model?: Model
  /** In place of the test provider; null is none at all. */
  payments?: Payments | null
  /** The real one, scrypt, takes 50 ms and more: most tests have no use for that. */
  passwordHasher?: PasswordHasher
  /** In place of those that all tests of a process share, whose threads are the test’s own. */
  schemas?: Schemas
  /** https://svc.test unless it is given. */
  baseUrl?: string
  proxyHops?: number
  /** In place of chance, from 0 up to 1. */
  random?: () => number
  /** In place of none. */
  metrics?: Metrics
  tracer?: Tracer
  /** In place of none. */
  modelPrices?: ModelPrices
  web?: WebFiles
  /** In place of a disk whose room nobody knows. */
  freeBytes?: () => Promise<number>
  /** In place of the store's own. */
  write?: WriteBatch
  /** Receives every log line, as JSON text. */
  log?: (line: string) => void
}

/** The whole service over a real database, without a port: requests go in through `inject`. */
export interface TestService {
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly clock: TestClock
  readonly model: ScriptedModel
  readonly masterKey: Buffer
  inject(options: InjectOptions): Promise<LightMyRequestResponse>
  /** JSON in, JSON out, with a bearer credential where one is given. */
  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    options?: SendOptions,
  ): Promise<LightMyRequestResponse>
  owner(tier?: Tier): Promise<TestOwner>
  /** The token of a new session of this owner, whose password is {@link PASSWORD} from then on. Earlier ones end. */
  signedIn(owner: Owner): Promise<string>
  runtime(owner: TestOwner, fields?: Record<string, unknown>): Promise<CreatedRuntime>
  deploy(runtime: CreatedRuntime, manifest?: Partial<DeploymentManifestInput>): Promise<LightMyRequestResponse>
  /** Renews the lease, and fails what was interrupted, as the running server does, so that the clock may be moved far. */
  renew(): Promise<void>
  close(): Promise<void>
}

export interface SendOptions {
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

export type TestOwner = Owner & { apiKey: string }

/** Does jobs in this thread: worker threads run what is built, and tests run the source. */
export function schemaThreadHere(): SchemaThread {
  const partsOf = createSchemaJobs()
  return { run: async (job) => [...partsOf(job)], close: async () => {} }
}

let shared: Schemas | undefined

/** Every entry belongs to an account, which no two tests share; a new cache compiles a schema to warm up. */
function sharedSchemas(): Schemas {
  shared ??= createSchemas(schemaThreadHere)
  return shared
}

/** A worker thread of what is built, for schemas that take longer than a test has. */
export function builtSchemaThread(): SchemaThread {
  const built = new URL('../../dist/schemas/schema-worker.js', import.meta.url)
  if (!existsSync(built)) throw new Error('run “npm run build” first')
  return createWorkerThread(() => new Worker(built, { execArgv: [] }))
}

/** The options of these names that are set. */
function given<T, K extends keyof T>(options: T, names: readonly K[]): Partial<Pick<T, K>> {
  const set: Partial<Pick<T, K>> = {}
  for (const name of names) if (options[name] !== undefined) set[name] = options[name]
  return set
}

/** Starts the service on a database that stays open when it is closed, as a replica does on a shared one. */
export async function startService(database: Database, options: TestServiceOptions = {}): Promise<TestService> {
  const { clock = createTestClock(), masterKey = randomBytes(32) } = options
  const model = scriptedModel()
  const logger = options.log ? pino({ level: 'debug' }, { write: options.log }) : pino({ level: 'silent' })
  const baseUrl = () => options.baseUrl ?? 'https://svc.test'
  const deps = createDeps({
    database,
    keyring: createKeyring([masterKey]),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    mailer: options.mailer === undefined ? createMailer({ transport: NOBODY, logger }) : options.mailer,
    model: options.model ?? model,
    schemas: options.schemas ?? sharedSchemas(),
    logger,
    clock,
    monotonicClock: options.monotonicClock ?? clock,
    pause: async (ms) => {
      clock.advance(ms)
      await options.pause?.(ms)
    },
    allowLocalEndpoints: options.allowLocalEndpoints ?? true,
    baseUrl,
    payments: options.payments === undefined ? testPayments({ baseUrl, clock }) : options.payments,
    proxyHops: options.proxyHops ?? 0,
    passwordHasher: options.passwordHasher ?? QUICK_HASHER,
    version: '0.0.0-test',
    nodeId: options.nodeId ?? randomUUID(),
    ...given(options, ['loopDelay', 'metrics', 'modelPrices', 'random', 'tracer', 'web', 'freeBytes', 'write']),
  })
  await deps.lease.take()
  const app = createApp(deps)
  const assertAnswers = checkAnswers(app)
  const inject = async (request: InjectOptions) => {
    const answer = await app.inject(request)
    assertAnswers()
    return answer
  }
  const send: TestService['send'] = (method, url, sent = {}) => inject(toInject(method, url, sent))
  return {
    app,
    deps,
    clock,
    model,
    masterKey,
    inject,
    send,
    owner: (tier = 'free') => makeOwner(deps, tier),
    signedIn: (owner) => beginTestSession(deps, owner),
    runtime: (owner, fields) => makeRuntime(send, owner, fields),
    deploy: (runtime, manifest) =>
      send('POST', '/v1/deployments', { key: runtime.deployKey, body: deployBody(manifest) }),
    async renew() {
      await deps.lease.renew()
      await deps.lease.sweep({ sparesOwn: deps.settlements.unwritten > 0 })
    },
    async close() {
      await flush(app, app.close(), FLUSH_MS)
      await deps.mailer?.close(FLUSH_MS)
      await deps.lease.release()
      await deps.dispatcher.close()
      assertAnswers()
    },
  }
}

/** A mail server that keeps nothing. */
const NOBODY = { send: async () => {}, close: () => {} }

/** Starts the service for the running test alone. */
export async function startForTest(database: Database, options?: TestServiceOptions): Promise<TestService> {
  const service = await startService(database, options)
  onTestFinished(() => service.close())
  return service
}

/** A deploy request that is valid as it is. */
export function deployBody(manifest: Partial<DeploymentManifestInput> = {}) {
  return { manifest: { schemaVersion: 2, capabilities: [capability('echo')], website: SHOP, ...manifest } }
}

/** A capability that takes an object with an optional `text`. */
export function capability(name: string, fields: Record<string, unknown> = {}) {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false }
  return { name, version: '1.0.0', description: `Does ${name}.`, actions: [{ name, inputSchema }], ...fields }
}

/** What owners of tests sign in with. */
export const PASSWORD = 'correct horse battery'

/** As good as a password's hash has to be where nobody steals it. */
export const QUICK_HASHER: PasswordHasher = {
  hash: async (password) => quickHash(password),
  verify: async ({ hash, password }) => hash === quickHash(password),
}

function quickHash(password: string): string {
  return `quick:${createHash('sha256').update(password).digest('hex')}`
}

/** How long a connection without a request may keep a stopping service. In milliseconds. */
const FLUSH_MS = 2000

const SHOP = { name: 'Test shop', url: 'https://shop.example.com' }

async function makeOwner(deps: Deps, tier: Tier): Promise<TestOwner> {
  const { owner, apiKey } = await createOwner(deps, { email: `${randomUUID()}@example.com`, tier })
  return { ...owner, apiKey: apiKey.reveal() }
}

async function beginTestSession(deps: Deps, { ownerId, email }: Owner): Promise<string> {
  const place = { key: ownerId, isKnown: true }
  const passwordHash = await deps.passwords.run(place, (hasher) => hasher.hash(PASSWORD))
  await setPassword(deps.db, email, passwordHash)
  const stored = await findPassword(deps.db, { email })
  if (!stored) throw new Error(`there is no account ${email}`)
  return (await beginSession(deps, stored)).token
}

async function makeRuntime(
  send: TestService['send'],
  owner: TestOwner,
  fields: Record<string, unknown> = {},
): Promise<CreatedRuntime> {
  const body = { name: 'Shop', endpoint: 'http://127.0.0.1:9/svc', ...fields }
  const answer = await send('POST', '/v1/runtimes', { key: owner.apiKey, body })
  return CreatedRuntime.parse(answer.json())
}

function toInject(method: InjectOptions['method'] & string, url: string, options: SendOptions): InjectOptions {
  const authorization = options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }
  const type = options.body === undefined ? {} : { 'content-type': 'application/json' }
  const payload = options.body === undefined ? {} : { payload: JSON.stringify(options.body) }
  return { method, url, headers: { ...type, ...authorization, ...options.headers }, ...payload }
}
