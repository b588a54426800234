import { createServer } from 'node:http'
import { join } from 'node:path'
import { buildDiscoveryManifest, DeploymentManifest, JsonObject, SvcSettings } from '@svc/contract'
import { describeCapabilities, isRuntime } from '@svc/sdk'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { manifestFaults } from '../../packages/server/test/support/ads-manifest.ts'
import { describeEngine, useDatabase } from '../../packages/server/test/support/engines.ts'
import { setScene } from '../../packages/server/test/support/scene.ts'
import { sampleOf } from '../support/doc-samples.ts'
import { sampleFolder } from '../support/sample-folder.ts'
import { commandsIn } from '../support/shell-commands.ts'

const PAGE = 'docs/reference/manifest.md'
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
  const folder = sampleFolder([CONFIG, RUNTIME, CALLER])
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

    const [command = []] = commandsIn(sampleOf(PAGE, '`endUserToken` are optional', 'sh').code)
    const { address, body } = requestOf(command)
    const pathname = new URL(address).pathname.replace('rt_exampleShop', scene.runtime.runtimeId)
    const headers = { 'content-type': 'application/json', connection: 'close' }
    const answered = await fetch(`${gateway.url}${pathname}`, { method: 'POST', headers, body })
    const shown: object = JSON.parse(sampleOf(PAGE, 'The answer:', 'json').code)
    const executionId = expect.stringMatching(/^exec_/)
    expect(await answered.json()).toEqual({ ...shown, executionId, durationMs: expect.any(Number) })
  })
})

/** What a `curl` command of the page sends, and where to. */
function requestOf(command: readonly string[]): { address: string; body: string } {
  const [address = ''] = command.filter((word) => word.startsWith('https://'))
  return { address, body: command[command.indexOf('--data') + 1] ?? '' }
}

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
  const { url, close } = await listenOnFreePort(server)
  onTestFinished(close)
  return {
    url,
    lead(to: Handle) {
      handle = to
    },
  }
}
