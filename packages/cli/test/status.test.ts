import { expect, test } from 'vitest'
import {
  deploymentReply,
  deployReply,
  envelope,
  shopCapability,
  startControlPlane,
  statusReply,
} from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject, shopProject } from './support/project.ts'
import { type Outcome, runSvc } from './support/run-svc.ts'

async function statusOf(
  files: Record<string, string>,
  live: readonly string[],
  version: number | null = 4,
): Promise<Outcome> {
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': statusReply(live, version) })
  const outcome = await runSvc(createProject(files), ['status'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(controlPlane.requests).toMatchObject([{ method: 'GET', authorization: `Bearer ${DEPLOY_KEY}` }])
  return outcome
}

// holds CLI-09, CLI-10
test('status prints every fact about what is live and that the project is in sync', async () => {
  const { exitCode, stdout, stderr } = await statusOf(shopProject(), ['refund', 'order-status'])
  expect(exitCode).toBe(0)
  expect(stderr).toBe('')
  expect(stdout).toBe(
    [
      'runtime       rt_exampleShop',
      'deployment    4',
      'status        active',
      'deployed at   2026-03-01T10:00:00.000Z',
      'connection    online',
      'transport     http',
      'health        healthy',
      'endpoint      https://shop.example.com/svc',
      'provider      demo',
      'model         rules',
      'capabilities  2',
      '',
      '✔ in sync',
      '',
    ].join('\n'),
  )
})

// holds CLI-11
test('status names each capability that is marked deprecated, since when, and until when it stays', async () => {
  const deprecated = [
    { name: 'refund', deprecatedSince: '1.2.0', removalNotBefore: '2.0.0' },
    { name: 'order-status', deprecatedSince: '1.3.0', removalNotBefore: null },
  ]
  const reply = statusReply(['refund', 'order-status'], 4, { deprecated })
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': reply })
  const { exitCode, stdout } = await runSvc(createProject(shopProject()), ['status'], {
    env: controlPlane.env(DEPLOY_KEY),
  })
  expect(exitCode).toBe(0)
  expect(stdout).toContain(
    [
      'capabilities  2',
      'deprecated    refund since 1.2.0, not removed before 2.0.0',
      'deprecated    order-status since 1.3.0',
      '',
      'out of sync: this project differs from what is live',
      '  ~ order-status: deprecated true → none',
    ].join('\n'),
  )
})

test('status prints effects, unknown calls and calls that wait for a person', async () => {
  const reply = statusReply(['refund', 'order-status'], 4, {
    effects: [
      { name: 'order-status', effect: 'read', confirm: false },
      { name: 'refund', effect: 'destructive', confirm: true },
    ],
    unknownCalls: 1,
    waitingApprovals: 3,
  })
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': reply })
  const { stdout } = await runSvc(createProject(shopProject()), ['status'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(stdout).toContain(
    [
      'capabilities  2',
      'effect        order-status read',
      'effect        refund destructive, a person approves each call',
      'unknown       1 call of the last 24 hours: the trace of each says what is known',
      'approvals     3 calls wait for a person',
      '',
    ].join('\n'),
  )
})

test('status prints the name that the runtime was registered under, where the server tells it', async () => {
  const reply = statusReply(['refund', 'order-status'], 4, { name: 'Example Shop' })
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': reply })
  const { stdout } = await runSvc(createProject(shopProject()), ['status'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(stdout).toContain('runtime       rt_exampleShop\nname          Example Shop\n')
})

test('an SVC_RUNTIME_ID that is not the key’s runtime is warned of, and one that is passes', async () => {
  const controlPlane = await startControlPlane({
    'GET /v1/runtime/status': statusReply(['refund', 'order-status']),
  })
  const statusWith = (SVC_RUNTIME_ID: string) =>
    runSvc(createProject(shopProject()), ['status'], { env: { ...controlPlane.env(DEPLOY_KEY), SVC_RUNTIME_ID } })
  const other = await statusWith('rt_anotherShop')
  expect(other.exitCode).toBe(0)
  expect(other.stderr).toBe(
    '! SVC_RUNTIME_ID is rt_anotherShop, but SVC_API_KEY is a key of rt_exampleShop. Correct one of the two.\n',
  )
  expect((await statusWith('rt_exampleShop')).stderr).toBe('')
})

// holds CLI-10
test('status prints the difference and the command that ends it', async () => {
  const { exitCode, stdout } = await statusOf(shopProject(), ['order-status', 'track-parcel'])
  expect(exitCode).toBe(0)
  expect(stdout).not.toContain('✔')
  expect(stdout).toContain('  + refund\n  - track-parcel, breaking\n  = 1 unchanged\n')
  expect(stdout).toContain('Run `svc deploy`')
})

test('beside a candidate status does not advise what would serve everybody at once', async () => {
  const reply = statusReply(['order-status'], 4, { candidate: { version: 5, traffic: 10, frozen: null } })
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': reply })
  const { stdout } = await runSvc(createProject(shopProject()), ['status'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(stdout).toContain('candidate     5, serves 10 %\n')
  expect(stdout).toContain(
    'If this project is deployment 5, the candidate, run `svc promote` to serve it to everybody.\n' +
      'Otherwise run `svc deploy --traffic <percent>`: it publishes this project as the new candidate.\n',
  )
})

test('before the first deployment nothing is in sync, not even a project without capabilities', async () => {
  const files = { ...shopProject(), '.svc/runtime.ts': shopProject([])['.svc/runtime.ts'] ?? '' }
  const { stdout } = await statusOf(files, [], null)
  expect(stdout).toContain('deployment    none yet')
  expect(stdout).toContain('Run `svc deploy`')
})

test('a runtime module that does not load cannot hide what is live', async () => {
  const { exitCode, stdout, stderr } = await statusOf(
    { 'svc.config.ts': CONFIG, '.svc/runtime.ts': "throw new Error('broken today')" },
    ['refund'],
  )
  expect(exitCode).toBe(3)
  expect(stdout).toContain('rt_exampleShop')
  expect(stderr).toContain('broken today')
})

// holds CLI-14
test('status tells every change of what is live in words, and which of them may break callers', async () => {
  const [refund, order] = ['refund', 'order-status'].map(shopCapability)
  const id = { type: 'string', maxLength: 8 }
  const live = [
    { ...refund, version: '0.9.0', actions: [{ name: 'refund', inputSchema: { type: 'object', properties: {} } }] },
    {
      ...order,
      actions: [{ name: 'order-status', inputSchema: { type: 'object', properties: { id }, required: ['id'] } }],
    },
  ]
  const controlPlane = await startControlPlane({
    'GET /v1/runtime/status': statusReply(['refund', 'order-status'], 4, { endpoint: 'https://old.example/svc' }),
    'GET /v1/runtime/deployment': deploymentReply(live),
  })
  const run = (...args: string[]) => runSvc(createProject(shopProject()), args, { env: controlPlane.env(DEPLOY_KEY) })
  const { stdout } = await run('status')
  expect(stdout).toContain(
    [
      'out of sync: this project differs from what is live',
      '  ~ endpoint: https://old.example/svc → https://shop.example.com/svc',
      '  ~ order-status: id maxLength 8 → none',
      '  ~ refund: version 0.9.0 → 1.0.0',
      '  ~ refund: id added, required, breaking',
      'Run `svc deploy` to publish this project.',
    ].join('\n'),
  )
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
    inSync: false,
    difference: { changed: ['order-status', 'refund'], unchanged: [] },
  })
  const deployed = await run('deploy', '--dry-run')
  expect(deployed.stdout).toContain('Compared with deployment 4:\n  ~ endpoint: https://old.example/svc →')
  expect(deployed.stdout).toContain('  ~ refund: id added, required, breaking\n')
})

test('a serving deployment that cannot be read hides nothing else, and nothing is said to be in sync', async () => {
  const controlPlane = await startControlPlane({
    'GET /v1/runtime/status': statusReply(['refund', 'order-status']),
    'GET /v1/runtime/deployment': envelope(500, 'internal_error', 'Something went wrong.'),
  })
  const { exitCode, stdout, stderr } = await runSvc(createProject(shopProject()), ['status'], {
    env: controlPlane.env(DEPLOY_KEY),
  })
  expect(exitCode).toBe(0)
  expect(stdout).toContain('rt_exampleShop')
  expect(stdout).not.toContain('in sync')
  expect(stderr).toBe('Not compared with what is live: Something went wrong.\n')
})

test('status warns where the runtime has capabilities and no endpoint', async () => {
  const reply = statusReply(['refund', 'order-status'], 4, { endpoint: null })
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': reply })
  const { stdout, stderr } = await runSvc(createProject(shopProject()), ['status'], {
    env: controlPlane.env(DEPLOY_KEY),
  })
  expect(stdout).toContain('endpoint      none\n')
  expect(stderr).toMatch(/^! The runtime has no endpoint: .*the broker answers 404\./)
})

test('status and deploy say why the endpoint is not well, and what serves it', async () => {
  const healthNote = 'The last call or probe failed. The endpoint could not be reached. Is your server running?'
  const said = (endpoint: string, hint: string) =>
    `! ${endpoint}: ${healthNote}${hint} A change shows in \`svc status\` within a minute.\n`
  for (const [endpoint, hint] of [
    ['http://127.0.0.1:8788/svc', ' On this machine `svc dev` serves it.'],
    ['https://shop.example.com/svc', ''],
  ] as const) {
    const controlPlane = await startControlPlane({
      'GET /v1/runtime/status': statusReply(['refund', 'order-status'], 4, {
        endpoint,
        health: 'degraded',
        healthNote,
      }),
      'POST /v1/deployments': deployReply([]),
    })
    const folder = createProject(shopProject())
    const run = (...args: string[]) => runSvc(folder, args, { env: controlPlane.env(DEPLOY_KEY) })
    expect((await run('status')).stderr).toBe(said(endpoint, hint))
    const deployed = await run('deploy')
    expect([deployed.exitCode, deployed.stderr]).toEqual([0, said(endpoint, hint)])
    expect(JSON.parse((await run('deploy', '--json')).stdout).warnings).toEqual([said(endpoint, hint).slice(2, -1)])
  }
})
