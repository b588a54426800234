import { join } from 'node:path'
import { buildDiscoveryManifest, DeploymentManifest, JsonObject, SvcSettings } from '@svc/contract'
import { describeCapabilities, isRuntime } from '@svc/sdk'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { manifestFaults } from '../../packages/server/test/support/ads-manifest.ts'
import { describeEngine, useDatabase } from '../../packages/server/test/support/engines.ts'
import { setScene } from '../../packages/server/test/support/scene.ts'
import { sampleOf } from '../support/doc-samples.ts'
import { sampleFolder } from '../support/sample-folder.ts'
import { commandsIn } from '../support/shell-commands.ts'

const PAGE = 'docs/reference/manifest.md'
const GUIDE = 'docs/guides/agents-and-mcp.md'
const CONFIG = sampleOf(PAGE, '`svc.config.ts`')
const RUNTIME = sampleOf(PAGE, '`.svc/runtime.ts`')

const Default = z.object({ default: z.unknown() })

/** What the samples of the page deploy. */
async function load() {
  const folder = sampleFolder([CONFIG, RUNTIME])
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
  return { manifest, runtime }
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

describeEngine('sqlite', 'the call of the guide', (engine) => {
  const database = useDatabase(engine)

  test('is answered as the guide says', async () => {
    const { manifest, runtime } = await load()
    const hours = runtime.find('opening-hours')
    const scene = await setScene(database(), {
      manifest: { ...manifest, endpoint: undefined },
      handle: { 'opening-hours': async ({ input }) => ({ output: await hours?.handler(input, NOBODY) }) },
    })
    const [command = []] = commandsIn(sampleOf(GUIDE, 'Send one POST', 'sh').code)
    const { address, body } = requestOf(command)
    const url = new URL(address).pathname.replace('rt_exampleShop', scene.runtime.runtimeId)
    const headers = { 'content-type': 'application/json' }
    const answer = await scene.service.inject({ method: 'POST', url, headers, payload: body })
    const shown: object = JSON.parse(sampleOf(GUIDE, 'The answer:', 'json').code)
    const executionId = expect.stringMatching(/^exec_/)
    expect(answer.json()).toEqual({ ...shown, executionId, durationMs: expect.any(Number) })
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
