import { describe, expect, test } from 'vitest'
import { deployReply, envelope, type Reply, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const GOOD = { check: 'tls', ok: true, message: 'The certificate is trusted.', mend: null }
const BAD = { check: 'replay', ok: false, message: 'A call was accepted twice.', mend: 'Claim each nonce once.' }

const report = (...rows: object[]): Reply => ({ status: 200, body: { ok: rows.every((row) => row === GOOD), rows } })

async function svc(args: readonly string[], doctor: Reply, isFirst = false) {
  const live = statusReply(['refund', 'order-status'], isFirst ? null : 4)
  const controlPlane = await startControlPlane({
    'POST /v1/runtime/doctor': doctor,
    'GET /v1/runtime/status': live,
    'POST /v1/deployments': deployReply([{ name: 'refund', hasInputSchema: true }]),
  })
  const outcome = await runSvc(createProject(shopProject()), args, { env: controlPlane.env(DEPLOY_KEY) })
  return { ...outcome, requests: controlPlane.requests }
}

describe('svc doctor', () => {
  // holds CLI-22
  test('prints each check, and exits with 0 where all passed', async () => {
    const { exitCode, stdout, stderr, requests } = await svc(['doctor'], report(GOOD))
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toBe('✔ tls  The certificate is trusted.\n✔ The registered endpoint passes every check.\n')
    expect(requests).toEqual([
      { method: 'POST', path: '/v1/runtime/doctor', authorization: `Bearer ${DEPLOY_KEY}`, body: null },
    ])
  })

  // holds CLI-22
  test('prints what to change under a failed check, and exits with 1', async () => {
    const { exitCode, stdout, stderr } = await svc(['doctor'], report(GOOD, BAD))
    expect(exitCode).toBe(1)
    expect(stdout).toBe(
      [
        '✔ tls     The certificate is trusted.',
        '✖ replay  A call was accepted twice.',
        '          Claim each nonce once.',
        '',
      ].join('\n'),
    )
    expect(stderr).toBe('✖ 1 of 2 checks of the endpoint failed.\n')
  })

  test('with --json the rows are there whether they passed or not', async () => {
    const passed = await svc(['doctor', '--json'], report(GOOD))
    expect(JSON.parse(passed.stdout)).toEqual({ ok: true, rows: [GOOD] })
    const failed = await svc(['doctor', '--json'], report(GOOD, BAD))
    expect(failed.exitCode).toBe(1)
    expect(JSON.parse(failed.stdout)).toEqual({
      ok: false,
      error: { kind: 'failure', message: '1 of 2 checks of the endpoint failed.', lines: [] },
      rows: [GOOD, BAD],
    })
  })

  test('passes a refusal of the control plane on', async () => {
    const busy = { ...envelope(429, 'rate_limit_exceeded', 'Too often.'), headers: { 'retry-after': '10' } }
    const { exitCode, stderr } = await svc(['doctor'], busy)
    expect([exitCode, stderr]).toEqual([1, '✖ The control plane refused: Too often.\n  Try again in 10 seconds.\n'])
  })
})

describe('svc deploy --doctor', () => {
  const pathsOf = (requests: readonly { path: string }[]) => requests.map(({ path }) => path)

  // holds CLI-23
  test('examines the endpoint that the deployment will have, and publishes where it passes', async () => {
    const { exitCode, stdout, requests } = await svc(['deploy', '--doctor', '--json'], report(GOOD), true)
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ published: true, doctor: { rows: [GOOD] } })
    const asked = requests.find(({ path }) => path === '/v1/runtime/doctor')
    expect(asked?.body).toEqual({ endpoint: 'https://shop.example.com/svc' })
    expect(pathsOf(requests)).toContain('/v1/deployments')
  })

  // holds CLI-23
  test('publishes nothing where a check fails', async () => {
    const { exitCode, stderr, requests } = await svc(['deploy', '--doctor'], report(BAD))
    expect(exitCode).toBe(1)
    expect(stderr).toContain('✖ 1 of 1 check of the endpoint failed.\n  Nothing was published.\n')
    expect(pathsOf(requests)).not.toContain('/v1/deployments')
  })

  test('does not repeat what a status says of calls before the examination', async () => {
    const healthNote = 'The last call or probe failed. The endpoint could not be reached.'
    const controlPlane = await startControlPlane({
      'POST /v1/runtime/doctor': report(GOOD),
      'GET /v1/runtime/status': statusReply(['refund', 'order-status'], 4, { health: 'degraded', healthNote }),
      'POST /v1/deployments': deployReply([]),
    })
    const run = (...args: string[]) =>
      runSvc(createProject(shopProject()), ['deploy', '--json', ...args], { env: controlPlane.env(DEPLOY_KEY) })
    expect(JSON.parse((await run()).stdout).warnings).toHaveLength(1)
    expect(JSON.parse((await run('--doctor')).stdout).warnings).toEqual([])
  })

  test('examines for --dry-run, too, and without the option for nothing', async () => {
    expect(pathsOf((await svc(['deploy', '--doctor', '--dry-run'], report(GOOD))).requests)).toEqual([
      '/v1/runtime/status',
      '/v1/runtime/doctor',
    ])
    const plain = await svc(['deploy', '--json'], report(BAD))
    expect(pathsOf(plain.requests)).not.toContain('/v1/runtime/doctor')
    expect(JSON.parse(plain.stdout)).toMatchObject({ published: true, doctor: null })
  })
})
