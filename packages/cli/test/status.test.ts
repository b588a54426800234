import { expect, test } from 'vitest'
import { startControlPlane, statusReply } from './support/fake-control-plane.ts'
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
      'provider      demo',
      'model         rules',
      'capabilities  2',
      '',
      '✔ in sync (by name)',
      '',
    ].join('\n'),
  )
})

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
      '✔ in sync (by name)',
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

test('status prints the difference and the command that ends it', async () => {
  const { exitCode, stdout } = await statusOf(shopProject(), ['order-status', 'track-parcel'])
  expect(exitCode).toBe(0)
  expect(stdout).not.toContain('in sync (by name)')
  expect(stdout).toContain('  + refund\n  - track-parcel\n  = 1 unchanged\n')
  expect(stdout).toContain('Run `svc deploy`')
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
