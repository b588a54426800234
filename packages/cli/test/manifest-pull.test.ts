import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buildDiscoveryManifest, DeploymentManifest } from '@svc/contract'
import { expect, test } from 'vitest'
import { envelope, startControlPlane } from './support/fake-control-plane.ts'
import { createProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

const PATH = 'GET /v1/runtime/rt_exampleShop/manifest'
const built = buildDiscoveryManifest({
  manifest: DeploymentManifest.parse({
    schemaVersion: 2,
    capabilities: [{ name: 'order-status', version: '1.0.0', description: 'Two\nlines, and \u009b31m' }],
    website: { name: 'Example Shop', url: 'https://shop.example.com' },
  }),
  ...{ runtimeId: 'rt_exampleShop', runtimeName: 'Shop', baseUrl: 'https://svc.example.com' },
})
const DOCUMENT = built.ok ? { ...built.document, 'x-more': 'kept' } : {}
const PULL = ['manifest', 'pull', '--runtime', 'rt_exampleShop']

const published = () => startControlPlane({ [PATH]: { status: 200, body: DOCUMENT } })

test('pull prints a runtime’s manifest whole, without a key and without a project', async () => {
  const { url, requests } = await published()
  const { exitCode, stdout, stderr } = await runSvc(createProject({}), PULL, { env: { SVC_BASE_URL: url } })
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual(DOCUMENT)
  expect(stderr).toBe('')
  expect(requests).toMatchObject([{ method: 'GET', authorization: undefined }])
})

test('a key in the environment is not sent along', async () => {
  const { requests, env } = await published()
  await runSvc(createProject({}), PULL, { env: env('svc_sk_0123456789abcdefghijklmnopqrstuvXXXXXX') })
  expect(requests.map(({ authorization }) => authorization)).toEqual([undefined])
})

test('no control character of a manifest reaches the terminal', async () => {
  const { url } = await published()
  const { stdout } = await runSvc(createProject({}), PULL, { env: { SVC_BASE_URL: url } })
  expect(stdout).toContain('\\u009b31m')
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
})

test('--out writes the manifest in one step and leaves no draft behind', async () => {
  const { url } = await published()
  const folder = createProject({ 'shop.json': 'what was there before' })
  const { exitCode, stdout } = await runSvc(folder, [...PULL, '--out', 'shop.json'], { env: { SVC_BASE_URL: url } })
  expect(exitCode).toBe(0)
  expect(stdout).toBe('✔ The manifest of rt_exampleShop is in shop.json.\n')
  expect(JSON.parse(readFileSync(join(folder, 'shop.json'), 'utf8'))).toEqual(DOCUMENT)
  expect(readdirSync(folder).filter((name) => name !== 'node_modules')).toEqual(['shop.json'])
})

test('--json tells the runtime, the file and the manifest', async () => {
  const { url } = await published()
  const { stdout } = await runSvc(createProject({}), [...PULL, '--json'], { env: { SVC_BASE_URL: url } })
  expect(JSON.parse(stdout)).toEqual({ ok: true, runtimeId: 'rt_exampleShop', file: null, manifest: DOCUMENT })
})

test('address and runtime come from the .env of the project around, whose configuration is not run', async () => {
  const { url } = await published()
  const folder = createProject({
    'svc.config.ts': 'throw new Error("run")',
    '.env': `SVC_BASE_URL=${url}\nSVC_RUNTIME_ID=rt_exampleShop\n`,
    'sub/keep.txt': '',
  })
  const { exitCode, stdout } = await runSvc(join(folder, 'sub'), ['manifest', 'pull', '--stdout'], { env: {} })
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual(DOCUMENT)
  expect(existsSync(join(folder, 'public'))).toBe(false)
})

test('in a project it is written to where sites publish it', async () => {
  const { url } = await published()
  const folder = createProject({ 'svc.config.ts': 'throw new Error("run")', 'sub/keep.txt': '' })
  const { exitCode, stdout } = await runSvc(join(folder, 'sub'), PULL, { env: { SVC_BASE_URL: url } })
  expect([exitCode, stdout]).toEqual([
    0,
    '✔ The manifest of rt_exampleShop is in ../public/.well-known/agent-discovery.json.\n',
  ])
  expect(JSON.parse(readFileSync(join(folder, 'public/.well-known/agent-discovery.json'), 'utf8'))).toEqual(DOCUMENT)
})

test('--stdout and --out together are wrong usage', async () => {
  const { exitCode, stderr } = await runSvc(createProject({}), [...PULL, '--stdout', '--out', 'x.json'], { env: {} })
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--stdout or --out')])
})

test.each([
  ['no manifest', envelope(404, 'not_found', 'There is nothing here.'), 1, 'nothing was deployed to it yet'],
  ['a deployment without namespace', envelope(400, 'validation_error', 'Set adp.namespace.'), 1, 'Set adp.namespace.'],
  ['another document', { status: 200, body: { hello: 'world' } }, 4, 'answered 200 with something else'],
  ['a web page', '<html>', 4, 'does not answer like a control plane'],
  [
    'a redirect',
    { status: 302, body: {}, headers: { location: 'https://x.example/' } },
    4,
    'Redirects are not followed',
  ],
])('%s is explained and nothing is written', async (_name, reply, code, words) => {
  const { url } = await startControlPlane({ [PATH]: reply })
  const folder = createProject({})
  const { exitCode, stdout, stderr } = await runSvc(folder, [...PULL, '--out', 'm.json'], {
    env: { SVC_BASE_URL: url },
  })
  expect(exitCode).toBe(code)
  expect(stdout).toBe('')
  expect(stderr).toContain(words)
  expect(existsSync(join(folder, 'm.json'))).toBe(false)
})

test('an answer without end is not read to its end', async () => {
  let sent = 0
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const chunk = 'x'.repeat(64 * 1024)
    const more = () => {
      if (response.destroyed) return
      sent += chunk.length
      response.write(chunk, () => setImmediate(more))
    }
    more()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const { exitCode, stderr } = await runSvc(createProject({}), PULL, { env: { SVC_BASE_URL: url } })
  server.closeAllConnections()
  server.close()
  expect(exitCode).toBe(4)
  expect(stderr).toContain('its answer is longer than 8388608 bytes')
  expect(sent).toBeGreaterThan(8 * 1024 * 1024)
  // What the two ends hold in their buffers comes on top.
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

test('a malformed runtime id, and none at all, are wrong usage', async () => {
  const malformed = await runSvc(createProject({}), ['manifest', 'pull', '--runtime', 'rt_../../x'], { env: {} })
  expect(malformed).toMatchObject({ exitCode: 2, stdout: '' })
  expect(malformed.stderr).toContain('--runtime must be “rt_”')
  const none = await runSvc(createProject({}), ['manifest', 'pull'], { env: {} })
  expect(none).toMatchObject({ exitCode: 2, stdout: '' })
  expect(none.stderr).toContain('--runtime rt_…')
})

test('a control plane out of reach is named', async () => {
  const { exitCode, stderr } = await runSvc(createProject({}), PULL, { env: { SVC_BASE_URL: NOWHERE } })
  expect(exitCode).toBe(4)
  expect(stderr).toContain(`The control plane at ${NOWHERE} cannot be reached`)
})

test('a file that cannot be written is named', async () => {
  const { url } = await published()
  const { exitCode, stderr } = await runSvc(createProject({}), [...PULL, '--out', 'no/such/m.json'], {
    env: { SVC_BASE_URL: url },
  })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('no/such/m.json cannot be written (ENOENT).')
})
