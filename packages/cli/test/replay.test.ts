import { createServer } from 'node:http'
import { createHandler, defineCapability, defineRuntime } from '@svc/sdk'
import { toNodeListener } from '@svc/sdk/node'
import { expect, onTestFinished, test } from 'vitest'
import { type FakeControlPlane, startControlPlane } from './support/fake-control-plane.ts'
import { createProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const IDENTITY = { runtimeId: 'rt_exampleShop', secret: 'the-signing-secret-of-the-shop' }
const ACCOUNT_KEY = 'svc_ak_0123456789abcdefghijklmnopqrstuv'
const AT = '2026-03-01T10:00:00.000Z'
const READ = { effect: 'read' } as const

type Answer = (input: Record<string, unknown>) => unknown

/** An endpoint of the owner’s that notes which capabilities were called, with which input. */
async function startEndpoint(answers: Record<string, Answer>) {
  const called: [string, unknown][] = []
  const capabilities = Object.entries(answers).map(([name, answer]) =>
    defineCapability({
      ...{ name, version: '1.0.0', input: { type: 'object' } },
      handler: (input: Record<string, unknown>) => {
        called.push([name, input])
        return answer(input)
      },
    }),
  )
  const handler = createHandler({ runtime: defineRuntime({ capabilities }), ...IDENTITY })
  const server = createServer(toNodeListener(handler))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/svc`, called }
}

const trace = (executionId: string, calls: object[]) => ({
  executionId,
  capabilityCalls: calls.map((call, at) => ({
    ...{ callId: `call_${executionId}_${at}`, step: 1, status: 'completed', output: null, error: null },
    ...{ startedAt: AT, durationMs: 1, ...call },
  })),
})
const summary = (executionId: string, capabilityCalls = 1) => ({
  ...{ executionId, runtimeId: IDENTITY.runtimeId, kind: 'execute', status: 'completed', finishReason: 'stop' },
  ...{ durationMs: 1, capabilityCalls, failedCalls: 0, totalTokens: 0, startedAt: AT, completedAt: AT },
})
const capability = (name: string, fields: object = {}) => ({ name, version: '1.0.0', ...fields })

const BOTH = [
  capability('get-product', READ),
  capability('search', READ),
  capability('place-order'),
  capability('delete-order', { effect: 'destructive' }),
  capability('view-cart', { ...READ, requiresEndUser: true }),
  capability('peek', { ...READ, confirm: true }),
]
/** It says of a capability that it reads, where the stable one writes; and the other way round. */
const STABLE = [...BOTH, capability('touch'), capability('count', READ)]
const CANDIDATE = [...BOTH, capability('touch', READ), capability('count')]
const CALLS = [
  ...STABLE.map(({ name }) => ({ capability: name, input: { id: 1 }, effect: 'read' })),
  { capability: 'get-product', input: { id: 1 } },
  { capability: 'get-product', input: { id: 2 }, effect: 'read' },
  { capability: 'get-product', input: { id: 3 }, effect: 'write' },
  { capability: 'get-product', input: { truncated: true, bytes: 99_999, preview: '{' }, effect: 'read' },
]

function startService(endpoint: string, candidate: object = {}): Promise<FakeControlPlane> {
  const deployment = (version: number, status: string, capabilities: object[], settings: object = {}) => ({
    status: 200,
    body: {
      ...{ version, status, deployedAt: AT, capabilityCount: capabilities.length },
      manifest: { schemaVersion: 2, capabilities, ...settings },
    },
  })
  const row = (version: number, status: string) => ({ version, status, deployedAt: AT, capabilityCount: 8 })
  const path = `/v1/runtimes/${IDENTITY.runtimeId}`
  const traces = { traces: [summary('exec_2'), summary('exec_0', 0), summary('exec_1')], nextCursor: null }
  return startControlPlane({
    [`GET ${path}`]: { status: 200, body: { runtimeId: IDENTITY.runtimeId, endpoint } },
    [`GET ${path}/deployments?limit=200`]: {
      status: 200,
      body: { deployments: [row(5, 'superseded'), row(4, 'active')], nextCursor: null },
    },
    [`GET ${path}/deployments/4`]: deployment(4, 'active', STABLE),
    [`GET ${path}/deployments/5`]: deployment(5, 'superseded', CANDIDATE, candidate),
    [`GET /v1/traces/runtime/${IDENTITY.runtimeId}?limit=100`]: { status: 200, body: traces },
    'GET /v1/traces/exec_2': { status: 200, body: trace('exec_2', CALLS) },
    'GET /v1/traces/exec_1': {
      status: 200,
      body: trace('exec_1', [{ capability: 'search', input: {}, effect: 'read' }]),
    },
  })
}

let moments = 0
/** Another value each time. */
const moment = () => {
  moments += 1
  return moments
}
const SHOP: Record<string, Answer> = {
  ...Object.fromEntries(STABLE.map(({ name }): [string, Answer] => [name, () => ({ ran: name })])),
  'get-product': ({ id }) => ({ id, price: 10, tags: ['a'], at: moment() }),
}
const project = (files: Record<string, string> = {}) =>
  createProject({ 'svc.config.ts': 'export default {}', '.svc/runtime.ts': '', ...files })
const replay = (
  plane: FakeControlPlane,
  args: readonly string[],
  env: Record<string, string> = {},
  folder = project(),
) =>
  runSvc(folder, ['replay', '--against', '5', ...args], {
    env: {
      ...{ SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: plane.url },
      ...{ SVC_RUNTIME_ID: IDENTITY.runtimeId, SVC_RUNTIME_SECRET: IDENTITY.secret, ...env },
    },
  })

test('shows differences as paths beside the noise, and calls nothing but what only reads', async () => {
  const stable = await startEndpoint(SHOP)
  const candidate = await startEndpoint({
    ...SHOP,
    'get-product': ({ id }) => ({ id, price: 10 + Number(id), tags: ['a', 'b'], at: 0 }),
  })
  const plane = await startService(stable.url)
  const { exitCode, stdout, stderr } = await replay(plane, ['--endpoint', candidate.url])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('1 of 2 capabilities answer differently.')
  expect(stderr).toContain('too large to be stored whole: 1')
  const lines = stdout.split('\n').map((line) => line.trim())
  expect(lines).toContain('✖ get-product  2 inputs')
  expect(lines).toContain('differs  output.price  2 of 2; stable against itself 0')
  expect(lines).toContain('differs  output.tags.*  2 of 2; stable against itself 0')
  expect(lines).toContain('noise    output.at  2 of 2; stable against itself 2')
  expect(lines).toContain('✔ search  2 inputs')
  for (const { called } of [stable, candidate]) {
    expect([...new Set(called.map(([name]) => name))].sort()).toEqual(['get-product', 'search'])
    expect(called).not.toContainEqual(['get-product', { id: 3 }])
  }
  expect([stable.called.length, candidate.called.length]).toEqual([8, 4])
  expect(plane.requests.every(({ method }) => method === 'GET')).toBe(true)
})

test('calls a capability that needs an end user with the token that was set, and shows it nowhere', async () => {
  const endpoint = await startEndpoint({ ...SHOP, 'view-cart': () => ({ of: 'session-of-alice', at: moment() }) })
  const plane = await startService(endpoint.url, { endpoint: endpoint.url })
  const { stdout, stderr } = await replay(plane, ['--endpoint', endpoint.url, '--json'], {
    SVC_END_USER_TOKEN: 'session-of-alice',
  })
  expect(stderr).not.toContain('session-of-alice')
  expect(stdout).not.toContain('session-of-alice')
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, stable: 4, candidate: 5, inputs: 5, cutInputs: 1 })
  expect(endpoint.called.filter(([name]) => name === 'view-cart')).toHaveLength(3)
})

test('shows no start of the token where an answer is cut', async () => {
  const of = `${'x'.repeat(291)}session-of-alice`
  const stable = await startEndpoint({ ...SHOP, 'view-cart': () => ({ of }) })
  const candidate = await startEndpoint({ ...SHOP, 'view-cart': () => ({ of: `${of}?` }) })
  const env = { SVC_END_USER_TOKEN: 'session-of-alice' }
  const { stdout } = await replay(await startService(stable.url), ['--endpoint', candidate.url], env)
  expect(stdout).toContain('differs  output.of')
  expect(stdout).not.toContain('xsession')
})

test('--local compares the project’s own code, if it declares that it reads as well', async () => {
  const stable = await startEndpoint(SHOP)
  const plane = await startService(stable.url)
  const runtime = `import { defineCapability, defineRuntime } from '@svc/sdk'
const input = { type: 'object' }
const search = defineCapability({ name: 'search', version: '1.0.0', effect: 'read', input, handler: () => ({ ran: 'search' }) })
const product = defineCapability({ name: 'get-product', version: '1.0.0', input, handler: () => { throw new Error('ran') } })
export default defineRuntime({ capabilities: [search, product] })`
  const outcome = await replay(plane, ['--local'], {}, project({ '.svc/runtime.ts': runtime }))
  expect(outcome).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('✔ search  2 inputs') })
  expect(new Set(stable.called.map(([name]) => name))).toEqual(new Set(['search']))
})

test.each([
  ['no address of the candidate', [], {}, 2, '--endpoint, or take --local'],
  ['a version that was never deployed', ['--against', '9'], {}, 2, 'The latest are 5 (superseded), 4 (active).'],
  ['no secret', ['--local'], { SVC_RUNTIME_SECRET: '' }, 3, 'SVC_RUNTIME_SECRET is not set'],
  ['an endpoint that nobody serves', ['--endpoint', 'http://127.0.0.1:2/svc'], {}, 1, 'cannot be called'],
  ['two candidates', ['--endpoint', 'http://127.0.0.1:2/svc', '--local'], {}, 2, 'Take one of them'],
])('refuses %s', async (_, args, env, exitCode, words) => {
  const stable = await startEndpoint(SHOP)
  const plane = await startService(stable.url)
  const runtime = "import { defineRuntime } from '@svc/sdk'\nexport default defineRuntime({ capabilities: [] })"
  const outcome = await replay(plane, args, env, project({ '.svc/runtime.ts': runtime }))
  expect(outcome).toMatchObject({ exitCode, stderr: expect.stringContaining(words) })
})
