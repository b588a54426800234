import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { startForTest } from '../../server/test/support/service.ts'
import { ADP, generatedFiles, OPENAPI, readJson } from './support/generated.ts'
import { createProject, runtimeModule } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BASE_URL = 'https://svc.example.com'

/** The sample shop, in a folder that may be written to. */
function shopCopy(): string {
  const folder = createProject({ 'examples/shop/smaller.ts': runtimeModule(['search-products', 'returns']) })
  cpSync(join(ROOT, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'))
  const shop = join(folder, 'examples/shop')
  for (const path of ['.svc/runtime.ts', 'src', 'svc.config.ts', 'tsconfig.json']) {
    cpSync(join(ROOT, 'examples/shop', path), join(shop, path), { recursive: true })
  }
  const config = readFileSync(join(shop, 'svc.config.ts'), 'utf8')
  writeFileSync(join(shop, 'smaller.config.ts'), config.replace('agent:', "runtime: 'smaller.ts',\n  agent:"))
  return shop
}

describeEngine('sqlite', 'the shop against a control plane', (engine) => {
  const database = useDatabase(engine)

  // holds GEN-08
  test('makes the manifest that is published, although the tool knows the control plane by another name', async () => {
    const service = await startForTest(database(), { baseUrl: 'http://127.0.0.1:8787/' })
    const runtime = await service.runtime(await service.owner())
    const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const shop = shopCopy()
    const asked = address.replace('127.0.0.1', 'localhost')
    const options = {
      env: { SVC_API_KEY: runtime.deployKey, SVC_BASE_URL: asked },
      // Which family of addresses the name means on this machine is not this test’s affair.
      fetch: (url: string | URL | Request, init?: RequestInit) => fetch(String(url).replace(asked, address), init),
    }
    expect(await runSvc(shop, ['deploy'], options)).toMatchObject({ exitCode: 0 })
    const answer = await fetch(`${address}/v1/runtime/${runtime.runtimeId}/manifest`)
    const { lastUpdated, ...published } = await answer.json()
    expect(lastUpdated).toEqual(expect.any(String))
    expect(readJson(shop, ADP)).toEqual(published)
    expect(generatedFiles(shop)[OPENAPI]).toContain('http://127.0.0.1:8787')
    expect(generatedFiles(shop)[OPENAPI]).not.toContain('localhost')
  }, 60_000)

  // holds GEN-01
  test('is deployed, deployed again with every generator skipped, and deployed anew after a change', async () => {
    const service = await startForTest(database(), { baseUrl: BASE_URL })
    const runtime = await service.runtime(await service.owner())
    const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const shop = shopCopy()
    const options = {
      env: { SVC_API_KEY: runtime.deployKey, SVC_BASE_URL: BASE_URL },
      fetch: (url: string | URL | Request, init?: RequestInit) => fetch(String(url).replace(BASE_URL, address), init),
    }
    const manifest = async () => (await fetch(`${address}/v1/runtime/${runtime.runtimeId}/manifest`)).json()

    const first = await runSvc(shop, ['deploy'], options)
    // Nothing listens at the endpoint.
    const warning = expect.stringMatching(
      /^! \S+\/svc: The last call or probe failed\..+ Is your server running\?.+\n$/,
    )
    expect([first.exitCode, first.stderr]).toEqual([0, warning])
    expect(first.stdout.match(/ created /g)).toHaveLength(5)
    expect(first.stdout).toContain('First deployment:\n  + search-products\n')
    expect(first.stdout).toContain('Deployment 1 is active')
    const { lastUpdated, ...published } = await manifest()
    expect(lastUpdated).toEqual(expect.any(String))
    expect(readJson(shop, ADP)).toEqual(published)

    const written = generatedFiles(shop)
    const second = await runSvc(shop, ['deploy'], options)
    expect([second.exitCode, second.stderr]).toEqual([0, warning])
    expect(second.stdout.match(/ skipped \(cached\)$/gm)).toHaveLength(5)
    expect(second.stdout).toContain('Compared with deployment 1: identical, 10 capabilities.')
    expect(second.stdout).toContain('Deployment 2 is active')
    expect(generatedFiles(shop)).toEqual(written)

    const changed = await runSvc(shop, ['deploy', '--config', 'smaller.config.ts', '--allow-breaking'], options)
    expect(changed.stdout.match(/ updated /g)).toHaveLength(5)
    expect(changed.stdout).toMatch(/^ {2}\+ returns$/m)
    expect(changed.stdout).toMatch(/^ {2}- place-order, breaking$/m)
    expect(changed.stdout).toContain('Deployment 3 is active')
    expect(changed.stderr).toContain('“place-order” is removed without having been deprecated')
    expect(await manifest()).toMatchObject({ ...readJson(shop, ADP) })
  }, 60_000)
})
