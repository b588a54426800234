import { describe, expect, test } from 'vitest'
import { deployReply, envelope, type Reply, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const promoted = (version: number, status: string): Reply => ({ status: 200, body: { version, status } })

async function svc(args: readonly string[], script: Record<string, Reply>) {
  const controlPlane = await startControlPlane(script)
  const outcome = await runSvc(createProject(shopProject()), args, { env: controlPlane.env(DEPLOY_KEY) })
  return { ...outcome, requests: controlPlane.requests }
}

describe('svc promote', () => {
  // holds TRAF-06
  test('makes the candidate the stable one, or the deployment that is named', async () => {
    const script = { 'POST /v1/deployments/candidate/promote': promoted(7, 'active') }
    const { exitCode, stdout, requests } = await svc(['promote'], script)
    expect([exitCode, stdout]).toEqual([0, '✔ Deployment 7 is stable and serves everything.\n'])
    expect(requests).toMatchObject([{ authorization: `Bearer ${DEPLOY_KEY}`, body: {} }])
    const named = await svc(['promote', '6', '--json'], { 'POST /v1/deployments/6/promote': promoted(6, 'active') })
    expect(JSON.parse(named.stdout)).toEqual({ ok: true, version: 6, status: 'active', traffic: 100 })
  })

  test('gives the candidate another share', async () => {
    const script = { 'POST /v1/deployments/candidate/promote': promoted(7, 'candidate') }
    const { stdout, requests } = await svc(['promote', '--traffic', '50'], script)
    expect(stdout).toBe('✔ Deployment 7 is the candidate and serves 50 %.\n')
    expect(requests).toMatchObject([{ body: { traffic: 50 } }])
  })

  test.each([
    ['promote', '0'],
    ['promote', '7; rm'],
    ['promote', '--traffic', '101'],
    ['promote', '--traffic', 'half'],
    ['rollback', 'last'],
    ['deploy', '--traffic', '-1'],
  ])('refuses %s %s %s before it asks', async (...args) => {
    const { exitCode, requests } = await svc(args, {})
    expect([exitCode, requests]).toEqual([2, []])
  })

  test('exits with 4 where there is no candidate', async () => {
    const refusal = envelope(404, 'not_found', 'This runtime has no candidate.')
    const { exitCode, stderr } = await svc(['promote'], { 'POST /v1/deployments/candidate/promote': refusal })
    expect(exitCode).toBe(4)
    expect(stderr).toContain('This runtime has no candidate.')
  })
})

describe('svc rollback', () => {
  // holds TRAF-06
  test('promotes what was stable before, or the deployment that is named', async () => {
    const { stdout } = await svc(['rollback'], { 'POST /v1/deployments/previous/promote': promoted(5, 'active') })
    expect(stdout).toBe('✔ Deployment 5 is stable and serves everything.\n')
    const named = await svc(['rollback', '3'], { 'POST /v1/deployments/3/promote': promoted(3, 'active') })
    expect(named.stdout).toContain('Deployment 3')
  })
})

describe('svc deploy', () => {
  // holds TRAF-06
  test.each([
    [['--no-promote'], 0, 'Deployment 5 is the candidate and serves nobody yet.'],
    [['--traffic', '5'], 5, 'Deployment 5 is the candidate and serves 5 %.'],
  ])('%j publishes a candidate', async (flags, traffic, said) => {
    const reply = deployReply([{ name: 'refund', hasInputSchema: true }])
    const { exitCode, stdout, requests } = await svc(['deploy', ...flags], {
      'GET /v1/runtime/status': statusReply(['refund', 'order-status']),
      'POST /v1/deployments': reply,
    })
    expect([exitCode, stdout.includes(said)]).toEqual([0, true])
    expect(requests.find(({ path }) => path === '/v1/deployments')).toMatchObject({ body: { traffic } })
  })
})

describe('svc status', () => {
  // holds TRAF-06
  test('shows the candidate, its share and why it was frozen', async () => {
    const status = statusReply(['refund', 'order-status'])
    const frozen = { reason: '20 of 60 executions were bad.', at: '2026-03-01T10:00:00.000Z' }
    const body = { ...Object(status).body, candidate: { version: 5, traffic: 0, frozen } }
    const { stdout } = await svc(['status'], { 'GET /v1/runtime/status': { status: 200, body } })
    expect(stdout).toContain('candidate     5, serves 0 %\n')
    expect(stdout).toContain('frozen        2026-03-01T10:00:00.000Z: 20 of 60 executions were bad.\n')
  })
})
