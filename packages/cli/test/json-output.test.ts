import { describe, expect, test } from 'vitest'
import { envelope, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const STATUS = 'GET /v1/runtime/status'

describe('with --json a failure', () => {
  test('of fields is a document with each of them, beside the words on stderr', async () => {
    const folder = createProject({ ...shopProject(), 'svc.config.ts': 'export default { tier: "pro" }' })
    const { exitCode, stdout, stderr } = await runSvc(folder, ['status', '--json'])
    expect(exitCode).toBe(3)
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      error: {
        kind: 'project',
        message: 'The configuration is not valid (svc.config.ts).',
        lines: [expect.stringMatching(/^apiKey +is required/), expect.stringMatching(/^tier +is not accepted/)],
        fieldErrors: {
          apiKey: [expect.stringContaining('SVC_API_KEY')],
          tier: [expect.stringContaining('the account’s plan')],
        },
      },
    })
    expect(stderr).toContain('✖ The configuration is not valid (svc.config.ts).')
  })

  test.each([
    ['usage', 2, ['status', '--nope'], "Unknown option '--nope'.", ['Run `svc status --help` to see what there is.']],
    ['usage', 2, [], 'No command was given.', ['Run `svc --help` to see what there is.']],
  ])('of %s has exit code %i', async (kind, expected, args, message, lines) => {
    const { exitCode, stdout } = await runSvc('/', [...args, '--json'])
    expect(exitCode).toBe(expected)
    expect(JSON.parse(stdout)).toEqual({ ok: false, error: { kind, message, lines } })
  })

  test.each([
    ['server', 4, envelope(401, 'unauthorized', 'This key is not valid here.')],
    ['failure', 1, envelope(429, 'rate_limit_exceeded', 'Wait a moment.')],
  ])('of kind %s has exit code %i', async (kind, expected, reply) => {
    const controlPlane = await startControlPlane({ [STATUS]: reply })
    const env = controlPlane.env(DEPLOY_KEY)
    const { exitCode, stdout } = await runSvc(createProject(shopProject()), ['status', '--json'], { env })
    expect(exitCode).toBe(expected)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { kind } })
    expect(stdout).not.toContain(DEPLOY_KEY)
  })
})

test('with --json the status is one document and nothing else on stdout', async () => {
  const deprecated = [{ name: 'refund', deprecatedSince: '1.2.0', removalNotBefore: null }]
  const counts = { effects: [{ name: 'track-parcel', effect: 'read', confirm: false }], waitingApprovals: 2 }
  const reply = statusReply(['order-status', 'track-parcel'], 4, { name: 'Example Shop', deprecated, ...counts })
  const controlPlane = await startControlPlane({ [STATUS]: reply })
  const { exitCode, stdout, stderr } = await runSvc(createProject(shopProject()), ['--json', 'status'], {
    env: controlPlane.env(DEPLOY_KEY),
    isTTY: true,
  })
  expect(exitCode).toBe(0)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    ok: true,
    baseUrl: controlPlane.url,
    runtimeId: 'rt_exampleShop',
    name: 'Example Shop',
    deployment: { version: 4, status: 'active', deployedAt: '2026-03-01T10:00:00.000Z' },
    candidate: null,
    connection: { status: 'online', transport: 'http' },
    health: 'healthy',
    endpoint: 'https://shop.example.com/svc',
    provider: { name: 'demo', model: 'rules' },
    capabilities: ['order-status', 'track-parcel'],
    deprecated,
    effects: [{ name: 'track-parcel', effect: 'read', confirm: false }],
    unknownCalls: 0,
    waitingApprovals: 2,
    inSync: false,
    difference: {
      added: ['refund'],
      removed: ['track-parcel'],
      changed: [],
      unchanged: ['order-status'],
      changes: [
        { of: 'capability', name: 'refund', kind: 'added', breaking: false, text: 'added' },
        { of: 'capability', name: 'track-parcel', kind: 'removed', breaking: true, text: 'removed' },
      ],
    },
    warnings: [],
  })
})
