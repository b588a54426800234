import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECEIVER_REFUSALS } from '@svc/contract'
import { signCall, signRequest } from '@svc/sdk/testing'
import { startRedisDouble } from '@svc/testkit'
import ts from 'typescript'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createEmptyTestPlace, describeEngine } from '../../packages/server/test/support/engines.ts'
import { sampleOf, samplesOf } from '../support/doc-samples.ts'
import { DEAD_PORT, start } from '../support/programs.ts'
import { sampleFolder } from '../support/sample-folder.ts'

const PAGE = 'docs/guides/serving.md'
const REFERENCE = 'docs/reference/serving.md'
const signer = { runtimeId: 'rt_shop0001', secret: 'Jw5rUq0mPz8t3aQxkYc1vB7nLs2dHf4gEo6iRu9yTbM' }
const environment = { SVC_RUNTIME_ID: signer.runtimeId, SVC_RUNTIME_SECRET: signer.secret }
const call = { ...signer, capability: 'check-stock', input: { article: 'mug' } }
const ANSWER = { output: { article: 'mug', pieces: 3 } }

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** A folder with the sample under a title, the runtime that the guide begins with, and its hidden files. */
function folderOf(title: string, page: string): string {
  const hidden = samplesOf(PAGE).filter(({ path }) => path === 'app/runtime.ts')
  return sampleFolder([sampleOf(PAGE, '`runtime.ts`'), ...hidden, sampleOf(page, title)])
}

/** Writes the JavaScript of a module beside it, for a Node that does not read TypeScript. */
function compile(file: string): void {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    rewriteRelativeImportExtensions: true,
  }
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions })
  writeFileSync(file.replace(/ts$/, 'js'), outputText)
}

/** Imports the sample under a title, with the environment that it reads. */
async function importSample(title: string, more: Record<string, string> = {}, page = PAGE): Promise<unknown> {
  for (const [name, value] of Object.entries({ ...environment, ...more })) vi.stubEnv(name, value)
  return import(join(folderOf(title, page), String(sampleOf(page, title).path)))
}

const Handler = z.custom<(request: Request) => Promise<Response>>((value) => typeof value === 'function')

test.each([
  ['plain Node', null],
  ['Express 4 and 5', '/orders'],
  ['Fastify 5', '/orders'],
])(
  'the server of %s, started as a process, answers signed calls and refuses others',
  async (title, neighbour) => {
    const folder = folderOf(title, PAGE)
    for (const name of ['runtime', 'server']) compile(join(folder, `${name}.ts`))
    const env = { PATH: process.env['PATH'], PORT: '0', ...environment }
    const until = /Listening on .*:\s*(\d+)/
    const { match: port } = await start(process.execPath, ['server.js'], { cwd: folder, until, env })
    const url = `http://127.0.0.1:${port}/svc`

    expect(await (await fetch(await signRequest({ ...call, url }))).json()).toEqual(ANSWER)
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(RECEIVER_REFUSALS.missing_headers)
    if (neighbour === null) return
    const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"article":"mug"}' }
    const received = await fetch(`http://127.0.0.1:${port}${neighbour}`, order)
    expect(await received.json()).toEqual({ received: { article: 'mug' } })
  },
  60_000,
)

test('the Hono application answers signed calls', async () => {
  const { default: app } = z.object({ default: z.object({ fetch: Handler }) }).parse(await importSample('Hono'))
  const response = await app.fetch(await signRequest(call))
  expect([response.status, await response.json()]).toEqual([200, ANSWER])
})

test('the Next.js route handler answers signed calls', async () => {
  const { POST } = z.object({ POST: Handler }).parse(await importSample('Next.js'))
  expect(await (await POST(await signRequest(call))).json()).toEqual(ANSWER)
})

test('what Bun and Deno serve answers signed calls', async () => {
  const Served = z.object({ default: z.object({ port: z.number(), fetch: Handler }) })
  const { default: served } = Served.parse(await importSample('Bun'))
  expect(served.port).toBe(8788)
  expect(await (await served.fetch(await signRequest(call))).json()).toEqual(ANSWER)
})

test('the Worker answers signed calls, and asks Redis once for each nonce', async () => {
  const commands: unknown[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    commands.push([url, JSON.parse(String(init?.body))[0], new Headers(init?.headers).get('authorization')])
    return Response.json({ result: commands.length === 1 ? 'OK' : null })
  })
  const Worker = z.object({
    default: z.object({ fetch: z.custom<WorkerFetch>((value) => typeof value === 'function') }),
  })
  const { default: worker } = Worker.parse(await importSample('`worker.ts`', {}, REFERENCE))
  const bindings = { ...environment, REDIS_REST_URL: 'https://redis.example.com', REDIS_REST_TOKEN: 'token' }
  const request = await signRequest(call)
  const again = request.clone()
  expect(await (await worker.fetch(request, bindings)).json()).toEqual(ANSWER)
  expect(await (await worker.fetch(again, bindings)).json()).toEqual({ error: 'nonce_replayed' })
  expect(commands).toEqual(Array(2).fill(['https://redis.example.com', 'SET', 'Bearer token']))
})

type WorkerFetch = (request: Request, environment: Record<string, string>) => Promise<Response>

test('the Lambda function recognises its event, and refuses while its database does not answer', async () => {
  const unreachable = { DATABASE_URL: `postgres://nobody@127.0.0.1:${DEAD_PORT}/nowhere` }
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { handler } = Lambda.parse(await importSample('a function URL', unreachable))
  const { headers, body } = await signCall(call)
  const event = { version: '2.0', headers, body, requestContext: { http: { method: 'POST' } } }
  expect(await handler(event)).toMatchObject({ statusCode: 503, body: '{"error":"nonce_store_unavailable"}' })
  expect(await handler({ ...event, headers: {} })).toMatchObject({ statusCode: 401 })
})

const Lambda = z.object({
  handler: z.custom<(event: unknown) => Promise<unknown>>((value) => typeof value === 'function'),
})

test('the page’s handler with Redis answers signed calls, and each of them once', async () => {
  const double = await startRedisDouble()
  onTestFinished(() => double.close())
  const module = await importSample('`redis.ts`', { REDIS_URL: double.url })
  const { redis } = z.object({ redis: z.custom<{ destroy(): void }>(isObject) }).parse(module)
  onTestFinished(() => redis.destroy())
  await expectOneAnswer(module)
  expect(double.sets).toHaveLength(2)
})

describeEngine('postgres', 'on PostgreSQL', (engine) => {
  test('the page’s handler answers signed calls, and each of them once', async () => {
    const { location } = await createEmptyTestPlace(engine)
    const module = await importSample('`postgres.ts`', { DATABASE_URL: location })
    const { pool } = z.object({ pool: z.custom<{ end(): Promise<void> }>(isObject) }).parse(module)
    onTestFinished(() => pool.end())
    await expectOneAnswer(module)
  })
})

const isObject = (value: unknown) => typeof value === 'object' && value !== null

async function expectOneAnswer(module: unknown): Promise<void> {
  const { handler } = z.object({ handler: Handler }).parse(module)
  const request = await signRequest(call)
  const again = request.clone()
  expect(await (await handler(request)).json()).toEqual(ANSWER)
  expect(await (await handler(again)).json()).toEqual({ error: 'nonce_replayed' })
}
