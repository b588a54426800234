import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NONCE_LIFETIME_MS, type NonceStore } from '@svc/sdk'
import { createFakeControlPlane } from '@svc/sdk/testing'
import { startRedisDouble } from '@svc/testkit'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createTestPlace, describeEngine } from '../packages/server/test/support/engines.ts'
import { sampleOf, samplesOf, writeSamples } from './support/doc-samples.ts'

const PAGE = 'docs/testing.md'
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function folderWith(...titles: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-testing-'))
  folders.push(folder)
  const samples = titles.map((title) => sampleOf(PAGE, title))
  writeSamples(samples, folder)
  return folder
}

// The page’s test files register their tests here, and run word for word.
describe('the page’s own tests', async () => {
  const folder = folderWith('`order-status.ts`', '`order-status.test.ts`', '`endpoint.test.ts`', '`inject.test.ts`')
  for (const name of ['order-status', 'endpoint', 'inject']) await import(join(folder, `${name}.test.ts`))
})

test('every test file of the page is among those that run', () => {
  const files = samplesOf(PAGE).flatMap(({ path }) => (path?.endsWith('.test.ts') ? [path] : []))
  expect(files.sort()).toEqual(['endpoint.test.ts', 'inject.test.ts', 'order-status.test.ts'])
})

const isStore = (value: unknown) => typeof value === 'object' && value !== null && 'claim' in value
const StoreModule = z.object({
  nonceStore: z.custom<NonceStore>(isStore),
  redis: z.custom<{ destroy(): void }>().optional(),
  pool: z.custom<{ end(): Promise<void> }>().optional(),
  database: z.custom<{ close(): void }>().optional(),
})

test('the page’s nonce store in Redis grants a claim once', async () => {
  const double = await startRedisDouble()
  onTestFinished(() => double.close())
  const { redis } = await expectOneGrant('`nonce-store.ts`, Redis', { REDIS_URL: double.url })
  redis?.destroy()
  expect(double.keys()).toEqual(['svc:nonce:n'])
})

test('the page’s nonce store in SQLite grants a claim once', async () => {
  const { database } = await expectOneGrant('`nonce-store.ts`, SQLite', {
    NONCES_FILE: join(folderWith(), 'nonces.db'),
  })
  database?.close()
})

describeEngine('postgres', 'on PostgreSQL', (engine) => {
  test('the page’s nonce store grants a claim once', async () => {
    const { location } = await createTestPlace(engine)
    const { pool } = await expectOneGrant('`nonce-store.ts`, PostgreSQL', { DATABASE_URL: location })
    await pool?.end()
  })
})

async function expectOneGrant(title: string, environment: Record<string, string>) {
  setEnvironment(environment)
  const module = StoreModule.parse(await import(join(folderWith(title), 'nonce-store.ts')))
  const expiresAt = Date.now() + NONCE_LIFETIME_MS
  const grants = await Promise.all(Array.from({ length: 10 }, () => module.nonceStore.claim('n', expiresAt)))
  expect(grants.filter(Boolean)).toHaveLength(1)
  return module
}

function setEnvironment(environment: Record<string, string>): void {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
}

test('the page’s server answers with a store of the page', async () => {
  const folder = folderWith('`order-status.ts`', '`server.ts`', '`nonce-store.ts`, SQLite')
  setEnvironment({
    ...{ PORT: '0', SVC_RUNTIME_ID: 'rt_shop0001', SVC_RUNTIME_SECRET: 'test-secret' },
    NONCES_FILE: join(folder, 'nonces.db'),
  })
  const { server } = z.object({ server: z.instanceof(Server) }).parse(await import(join(folder, 'server.ts')))
  onTestFinished(() => void server.close())
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const controlPlane = createFakeControlPlane(`http://127.0.0.1:${port}/svc`, {
    runtimeId: 'rt_shop0001',
    secret: 'test-secret',
  })
  const answer = await controlPlane.call('order-status', { orderNumber: 'A-1001' }, { endUserToken: 'alice' })
  expect(answer).toMatchObject({ ok: true })
  expect(await controlPlane.replay()).toMatchObject({ ok: false, code: 'nonce_replayed' })
})
