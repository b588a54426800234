import { keyChecksum } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { openCommand } from '../src/account/account-commands.ts'
import { openTerminal } from '../src/terminal/terminal.ts'
import { envelope, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

const ACCOUNT_BODY = 'svc_ak_0123456789abcdefghijklmnopqrstuv'
const ACCOUNT_KEY = ACCOUNT_BODY + keyChecksum(ACCOUNT_BODY)
const ACCOUNT = {
  ...{ ownerId: 'own_1', email: 'ada@example.com', tier: 'pro', createdAt: '2026-03-01T10:00:00.000Z' },
  ...{ role: 'developer', member: { memberId: 'mem_1', email: 'bob@example.com' } },
}
const answering = () =>
  startControlPlane({
    'GET /v1/account': { status: 200, body: ACCOUNT },
    'GET /v1/runtime/status': statusReply([], null, { name: 'Hollow Pine' }),
  })

describe('svc whoami', () => {
  test('says whose the account key is, and which runtime the deploy key is of, each asked with its own key', async () => {
    const { url, requests } = await answering()
    const env = { SVC_BASE_URL: url, SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_API_KEY: DEPLOY_KEY }
    const { exitCode, stdout } = await runSvc(createProject({}), ['whoami'], { env })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^account +bob@example\.com in ada@example\.com, pro, developer, by svc_ak_0123…\w{4} \(SVC_ACCOUNT_KEY\)$/m,
    )
    expect(stdout).toMatch(/^runtime +rt_exampleShop Hollow Pine, by svc_sk_/m)
    expect(stdout).not.toContain(ACCOUNT_KEY)
    expect(requests.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/v1/account', `Bearer ${ACCOUNT_KEY}`],
      ['/v1/runtime/status', `Bearer ${DEPLOY_KEY}`],
    ])
  })

  test('knows the keys of the project’s .env, and tells scripts what is not set', async () => {
    const { url } = await answering()
    const folder = createProject({ 'svc.config.ts': '', '.env': `SVC_ACCOUNT_KEY=${ACCOUNT_KEY}\n` })
    const { stdout } = await runSvc(folder, ['whoami', '--json'], { env: { SVC_BASE_URL: url } })
    expect(JSON.parse(stdout)).toMatchObject({ account: { email: 'ada@example.com', tier: 'pro' }, runtime: null })
  })

  test('a key that is not accepted ends it, and so does none', async () => {
    const { url } = await startControlPlane({ 'GET /v1/account': envelope(401, 'unauthorized', 'Not valid here.') })
    const env = { SVC_BASE_URL: url, SVC_ACCOUNT_KEY: ACCOUNT_KEY }
    const refused = await runSvc(createProject({}), ['whoami'], { env })
    expect([refused.exitCode, refused.stderr]).toEqual([
      4,
      expect.stringMatching(/account key svc_ak_0123….* not valid at/),
    ])
    const none = await runSvc(createProject({}), ['whoami'], { env: {} })
    expect([none.exitCode, none.stderr]).toEqual([
      3,
      expect.stringContaining('Neither SVC_ACCOUNT_KEY nor SVC_API_KEY'),
    ])
  })
})

describe('svc open', () => {
  test('prints where the dashboard shows the runtime, without the network', async () => {
    const env = { SVC_BASE_URL: NOWHERE, SVC_RUNTIME_ID: 'rt_exampleShop' }
    const { exitCode, stdout } = await runSvc(createProject({}), ['open'], { env })
    expect([exitCode, stdout]).toEqual([0, `${NOWHERE}/dashboard/runtimes/rt_exampleShop\n`])
    expect((await runSvc(createProject({}), ['open'], { env: {} })).stdout).toBe(
      'http://127.0.0.1:8787/dashboard/runtimes\n',
    )
  })

  test('asks for a browser on a terminal alone', async () => {
    const opened: string[] = []
    const run = async (isTTY: boolean) => {
      const silent = { write: () => undefined, isTTY }
      const deps = {
        ...{ stdout: silent, stderr: silent, env: {}, cwd: createProject({}), fetch },
        timers: { now: () => 0, every: () => () => undefined, after: () => () => undefined },
        openInBrowser: (url: string) => opened.push(url),
      }
      await openCommand(deps, openTerminal(deps)).parseAsync([], { from: 'user' })
    }
    await run(false)
    expect(opened).toEqual([])
    await run(true)
    expect(opened).toEqual(['http://127.0.0.1:8787/dashboard/runtimes'])
  })
})

test('an address with a port that is none says so', async () => {
  const { exitCode, stderr } = await runSvc(createProject({}), ['open'], {
    env: { SVC_BASE_URL: 'http://127.0.0.1:87870' },
  })
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('SVC_BASE_URL has the port “87870”')])
})
