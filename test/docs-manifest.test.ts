import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDiscoveryManifest, DeploymentManifest, isJsonObject, JsonObject, SvcSettings } from '@svc/contract'
import { describeCapabilities, isRuntime } from '@svc/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { manifestFaults } from '../packages/server/test/support/ads-manifest.ts'
import { describeEngine, useDatabase } from '../packages/server/test/support/engines.ts'
import { setScene } from '../packages/server/test/support/scene.ts'
import { sampleOf, writeSamples } from './support/doc-samples.ts'

const PAGE = 'docs/manifest.md'
const CONFIG = sampleOf(PAGE, '`svc.config.ts`')
const RUNTIME = sampleOf(PAGE, '`.svc/runtime.ts`')
const CALLER = sampleOf(PAGE, '`call-published.ts`')

const Default = z.object({ default: z.unknown() })
const Caller = z.object({
  callPublished: z.custom<(manifestUrl: string, name: string, input: object) => Promise<unknown>>(
    (value) => typeof value === 'function',
  ),
})

/** What the samples of the page deploy, and the agent that calls it. */
async function load() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeSamples([CONFIG, RUNTIME, CALLER], folder)
  const read = async (path: string | null): Promise<unknown> => import(join(folder, path ?? ''))
  const runtime = Default.parse(await read(RUNTIME.path)).default
  if (!isRuntime(runtime)) throw new Error('the page’s runtime is none')
  const { apiKey: _, ...settings } = JsonObject.parse(Default.parse(await read(CONFIG.path)).default)
  const { website, adp } = SvcSettings.parse(settings)
  const manifest = DeploymentManifest.parse({
    schemaVersion: 2,
    capabilities: describeCapabilities(runtime),
    website,
    adp,
  })
  return { manifest, runtime, ...Caller.parse(await read(CALLER.path)) }
}

test('the manifest of the page is what its configuration and its capabilities are published as', async () => {
  const { manifest } = await load()
  const built = buildDiscoveryManifest({
    manifest,
    runtimeId: 'rt_exampleShop',
    runtimeName: 'never read',
    baseUrl: 'https://svc.example.com',
    deployedAt: '2026-03-01T10:00:00.000Z',
  })
  const shown: unknown = JSON.parse(sampleOf(PAGE, 'agent-discovery.json', 'json').code)
  expect(built).toEqual({ ok: true, document: shown })
  expect(manifestFaults(shown)).toEqual([])
})

describeEngine('sqlite', 'the agent of the page', (engine) => {
  const database = useDatabase(engine)

  test('finds and calls what is published, and says why it does not call the rest', async () => {
    const { manifest, runtime, callPublished } = await load()
    const gateway = await startGateway()
    const hours = runtime.find('opening-hours')
    const scene = await setScene(database(), {
      baseUrl: gateway.url,
      manifest: { ...manifest, endpoint: undefined },
      handle: { 'opening-hours': async ({ input }) => ({ output: await hours?.handler(input, NOBODY) }) },
    })
    gateway.lead(async (method, path, body) => {
      const answer = await scene.service.inject({ method, url: path, ...body })
      return { status: answer.statusCode, body: answer.body }
    })
    const url = `${gateway.url}/v1/runtime/${scene.runtime.runtimeId}/manifest`
    const call = (name: string, input: object) => callPublished(url, `com.example.shop.${name}`, input).catch(String)
    expect(await call('opening-hours', { day: 'sunday' })).toEqual({ opens: '10:00', closes: '16:00' })
    expect(await call('opening-hours', { day: 'someday' })).toContain('com.example.shop.opening-hours failed: ')
    expect(await call('order-status', {})).toContain('needs an end user’s token')
    expect(await call('refund', {})).toContain('is not published')
  })
})

const NOBODY = {
  executionId: 'exec_1',
  callId: 'call_1',
  capability: 'opening-hours',
  startedAt: new Date(0),
  endUserToken: undefined,
  metadata: {},
  signal: new AbortController().signal,
}

type Handle = (method: 'GET' | 'POST', path: string, body: object) => Promise<{ status: number; body: string }>

/** A port of which the address is known before there is a service behind it. */
async function startGateway() {
  let handle: Handle = async () => ({ status: 503, body: '{}' })
  const server = createServer(async (request, response) => {
    let payload = ''
    for await (const chunk of request) payload += String(chunk)
    const sent = request.method === 'POST' ? { payload, headers: { 'content-type': 'application/json' } } : {}
    const answer = await handle(request.method === 'POST' ? 'POST' : 'GET', request.url ?? '/', sent)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = isJsonObject(address) ? address['port'] : 0
  return {
    url: `http://127.0.0.1:${port}`,
    lead(to: Handle) {
      handle = to
    },
  }
}
