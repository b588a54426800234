import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { startForTest, type TestOwner, type TestService } from '../../server/test/support/service.ts'
import type { Timers } from '../src/deps.ts'
import { envelope, type Reply, startControlPlane } from './support/fake-control-plane.ts'
import { createProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

const CODE = /confirm the code ([A-Z]{4}-[A-Z]{4})\./

/** A folder for settings that is removed after the test, and the file that `svc login` keeps there. */
function settings() {
  const configFolder = join(mkdtempSync(join(tmpdir(), 'svc-config-')), 'config')
  onTestFinished(() => rmSync(join(configFolder, '..'), { recursive: true, force: true }))
  const file = join(configFolder, 'svc', 'credentials.json')
  const saved = (): Record<string, { key: string; keyId: string; email: string }> =>
    JSON.parse(readFileSync(file, 'utf8'))
  return { configFolder, file, saved }
}

/** Timers whose pauses pass at once; `onPause` is what happens meanwhile. */
function pausing(onPause: (pauseMs: number) => unknown): Timers {
  let now = 0
  return {
    now: () => now,
    every: () => () => undefined,
    after(delayMs, run) {
      now += delayMs
      void Promise.resolve(onPause(delayMs)).then(run)
      return () => undefined
    },
  }
}

describeEngine('sqlite', 'svc login against a control plane', (engine) => {
  const database = useDatabase(engine)

  async function stage() {
    const service = await startForTest(database())
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    return { service, url, owner: await service.owner('pro'), ...settings() }
  }

  type Stage = Awaited<ReturnType<typeof stage>>

  /** Runs it while the owner answers at the second pause. */
  function login(
    { service, url, owner, configFolder }: Stage,
    { status = 'authorized', args = [], isTTY = false, opened = [], onPause = () => {} }: Answering = {},
  ) {
    let shown = ''
    let pauses = 0
    const timers = pausing(async (pauseMs) => {
      service.clock.advance(pauseMs)
      pauses += 1
      onPause(pauseMs)
      if (pauses === 2) await answer(service, owner, { status, userCode: CODE.exec(shown)?.[1] ?? 'none' })
    })
    return runSvc(createProject({}), ['login', ...args], {
      ...{ env: { SVC_BASE_URL: url }, configFolder, timers, isTTY },
      onStderr: (text) => (shown += text),
      openInBrowser: (address) => opened.push(address),
    })
  }

  type Answering = {
    status?: 'authorized' | 'denied'
    args?: string[]
    isTTY?: boolean
    opened?: string[]
    onPause?: (pauseMs: number) => void
  }

  async function answer(
    service: TestService,
    owner: TestOwner,
    { status, userCode }: { status: string; userCode: string },
  ) {
    const path = `/v1/account/devices/${userCode}`
    const answered = await service.send('POST', path, { key: await service.signedIn(owner), body: { status } })
    expect(answered.statusCode).toBe(200)
  }

  async function keysOf({ service, owner }: Stage): Promise<{ name: string; revokedAt: string | null }[]> {
    return (await service.send('GET', '/v1/account/keys', { key: owner.apiKey })).json().keys
  }

  const statusWith = async ({ service }: Stage, key: string) =>
    (await service.send('GET', '/v1/account', { key })).statusCode

  // holds CLI-19
  test('shows a code and an address, and saves the key that the owner confirms for its user alone', async () => {
    const here = await stage()
    const { exitCode, stdout, stderr } = await login(here)
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/^Open https:\/\/svc\.test\/dashboard\/device\?code=/),
    ])
    expect(stdout).toContain(`Logged in to ${here.url} as ${here.owner.email}.`)
    const { key = '', email } = here.saved()[here.url] ?? {}
    expect(email).toBe(here.owner.email)
    expect(await statusWith(here, key)).toBe(200)
    expect(stdout + stderr).not.toContain(key)
    expect(statSync(here.file).mode & 0o777).toBe(0o600)
    expect(statSync(join(here.file, '..')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(here.file, '..'))).toEqual(['credentials.json'])
    expect((await keysOf(here)).map(({ name }) => name)).toContain('svc on ada-laptop')
  })

  // holds CLI-21
  test('later commands use the key, and whoami says where it comes from', async () => {
    const here = await stage()
    await login(here)
    const { url, configFolder, owner } = here
    const whoami = (env: Record<string, string>) =>
      runSvc(createProject({}), ['whoami', '--json'], { env, configFolder })
    const saved = JSON.parse((await whoami({ SVC_BASE_URL: url })).stdout)
    expect(saved.account).toMatchObject({ email: owner.email, source: 'svc login' })
    const other = await here.service.owner()
    const given = JSON.parse((await whoami({ SVC_BASE_URL: url, SVC_ACCOUNT_KEY: other.apiKey })).stdout)
    expect(given.account).toMatchObject({ email: other.email, source: 'SVC_ACCOUNT_KEY' })
    const elsewhere = await whoami({ SVC_BASE_URL: NOWHERE })
    expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([
      3,
      expect.stringContaining(`no key is saved for ${NOWHERE}`),
    ])

    const folder = createProject({})
    const init = await runSvc(folder, ['init', 'app', '--yes'], { env: { SVC_BASE_URL: url }, configFolder })
    expect(init.stdout).toMatch(/^Registered rt_/m)
    const [runtimeId = ''] = /rt_\w+/.exec(init.stdout) ?? []
    const env = { SVC_BASE_URL: url, SVC_RUNTIME_ID: runtimeId }
    expect((await runSvc(folder, ['logs'], { env, configFolder })).exitCode).toBe(0)
  })

  test('a second login takes the place of the first, whose key ends', async () => {
    const here = await stage()
    await login(here)
    const first = here.saved()[here.url]?.key ?? ''
    await login(here)
    const second = here.saved()[here.url]?.key ?? ''
    expect([await statusWith(here, first), await statusWith(here, second)]).toEqual([401, 200])
  })

  test('two at once keep both keys, and a lock that was left behind keeps nobody out', async () => {
    const here = await stage()
    mkdirSync(join(here.file, '..'), { recursive: true })
    const lock = `${here.file}.lock`
    const elsewhere = { key: here.owner.apiKey, keyId: 'ak_1', email: 'elsewhere@example.com' }
    writeFileSync(lock, '')
    const saving = (pauseMs: number) => {
      if (pauseMs >= 1_000) return
      // What the other process does while this one waits for it.
      writeFileSync(here.file, JSON.stringify({ [NOWHERE]: elsewhere }))
      rmSync(lock)
    }
    await login(here, { onPause: saving })
    expect(Object.keys(here.saved())).toEqual([NOWHERE, here.url])
    writeFileSync(lock, '')
    expect((await login(here)).exitCode).toBe(0)
    expect(readdirSync(join(here.file, '..'))).toEqual(['credentials.json'])
  })

  // holds CLI-20
  test('logout revokes the key and removes it, and leaves those of other control planes', async () => {
    const here = await stage()
    await login(here)
    const { key = '', ...others } = here.saved()[here.url] ?? {}
    const kept = { key, ...others, email: 'elsewhere@example.com' }
    writeFileSync(here.file, JSON.stringify({ ...here.saved(), [NOWHERE]: kept }))
    const logout = () =>
      runSvc(createProject({}), ['logout', '--json'], {
        env: { SVC_BASE_URL: here.url },
        configFolder: here.configFolder,
      })
    expect(JSON.parse((await logout()).stdout)).toMatchObject({ email: here.owner.email, isRevoked: true })
    expect(await statusWith(here, key)).toBe(401)
    expect(here.saved()).toEqual({ [NOWHERE]: kept })
    expect(JSON.parse((await logout()).stdout)).toMatchObject({ ok: true, email: null })
  })

  test('a key that was revoked meanwhile is told, with what to do', async () => {
    const here = await stage()
    await login(here)
    const { key = '', keyId = '' } = here.saved()[here.url] ?? {}
    await here.service.send('POST', `/v1/account/keys/${keyId}/revoke`, { key })
    const options = { env: { SVC_BASE_URL: here.url }, configFolder: here.configFolder }
    const { exitCode, stderr } = await runSvc(createProject({}), ['whoami'], options)
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('run `svc login` again')])
    const logout = await runSvc(createProject({}), ['logout', '--json'], options)
    expect(JSON.parse(logout.stdout)).toMatchObject({ isRevoked: true })
  })

  test('one that the owner declines ends it with 1, and nothing is saved', async () => {
    const here = await stage()
    const { exitCode, stderr } = await login(here, { status: 'denied' })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The owner declined this log-in')])
    expect(existsSync(here.file)).toBe(false)
  })

  test('one that nobody answers ends when its code expires', async () => {
    const { service, url, configFolder, file } = await stage()
    const timers = pausing((pauseMs) => service.clock.advance(pauseMs))
    const options = { env: { SVC_BASE_URL: url }, configFolder, timers }
    const { exitCode, stderr } = await runSvc(createProject({}), ['login'], options)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The code has expired')])
    expect(existsSync(file)).toBe(false)
  })

  test('opens a browser on a terminal, unless told not to', async () => {
    const opened: string[] = []
    await login(await stage(), { opened })
    await login(await stage(), { opened, isTTY: true, args: ['--no-open'] })
    expect(opened).toEqual([])
    await login(await stage(), { opened, isTTY: true })
    expect(opened).toEqual([expect.stringMatching(/^https:\/\/svc\.test\/dashboard\/device\?code=\w{4}-\w{4}$/)])
  })

  test('with --json the code is on stderr, and stdout holds one document without the key', async () => {
    const here = await stage()
    const { stdout, stderr } = await login(here, { args: ['--json', '--quiet'] })
    expect(stderr).toMatch(CODE)
    const { key = '', keyId } = here.saved()[here.url] ?? {}
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, baseUrl: here.url, keyId, file: here.file })
    expect(stdout).not.toContain(key)
  })

  test('says when its key could not be saved, and ends it', async () => {
    const here = await stage()
    mkdirSync(join(here.file, '..'), { recursive: true })
    const spoil = () => writeFileSync(here.file, '{"of": "another program"}')
    const { service, owner } = here
    let shown = ''
    const timers = pausing(async (pauseMs) => {
      service.clock.advance(pauseMs)
      await answer(service, owner, { status: 'authorized', userCode: CODE.exec(shown)?.[1] ?? 'none' })
      spoil()
    })
    const { exitCode, stderr } = await runSvc(createProject({}), ['login'], {
      ...{ env: { SVC_BASE_URL: here.url }, configFolder: here.configFolder, timers },
      onStderr: (text) => (shown += text),
    })
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('does not hold the keys of `svc login`')])
    const made = (await keysOf(here)).find(({ name }) => name === 'svc on ada-laptop')
    expect(made?.revokedAt).not.toBeNull()
  })
})

describe('svc login', () => {
  const LOGIN: Reply = {
    status: 201,
    body: {
      ...{ deviceCode: 'code', userCode: 'WDJB-MJHT', expiresIn: 600, interval: 5 },
      verificationUri: 'https://svc.example.com/dashboard/device',
      verificationUriComplete: 'https://svc.example.com/dashboard/device?code=WDJB-MJHT',
    },
  }
  const run = async (script: Record<string, Reply | string>, timers: Timers, args: string[] = []) => {
    const { url, requests } = await startControlPlane(script)
    const { configFolder } = settings()
    const outcome = await runSvc(createProject({}), ['login', ...args], {
      env: { SVC_BASE_URL: url },
      configFolder,
      timers,
    })
    return { ...outcome, requests }
  }

  test('waits longer where it is told to, or where nothing answers', async () => {
    const pauses: number[] = []
    const TOKEN = 'POST /v1/auth/device/token'
    const script: Record<string, Reply | string> = { 'POST /v1/auth/device': LOGIN }
    const answers: (Reply | string)[] = [
      { status: 200, body: { status: 'authorization_pending' } },
      envelope(429, 'rate_limit_exceeded', 'slow_down'),
      { status: 200, body: { status: 'authorization_pending' } },
      { ...envelope(429, 'rate_limit_exceeded', 'Out of disk space.'), headers: { 'retry-after': '30' } },
      '<h1>Bad gateway</h1>',
      envelope(500, 'internal_error', 'The database is away.'),
      envelope(403, 'forbidden', 'The owner declined this log-in.'),
    ]
    const timers = pausing((pauseMs) => {
      pauses.push(pauseMs)
      script[TOKEN] = answers.shift() ?? ''
    })
    const { exitCode, requests } = await run(script, timers)
    expect(exitCode).toBe(1)
    expect(pauses).toEqual([5_000, 5_000, 10_000, 10_000, 30_000, 60_000, 60_000])
    expect(requests.every(({ authorization }) => authorization === undefined)).toBe(true)
    expect(requests[0]).toMatchObject({ path: '/v1/auth/device', body: { machine: 'ada-laptop' } })
  })

  test('opens no address but one of the web', async () => {
    const body = { ...Object(LOGIN.body), verificationUriComplete: 'file:///etc/passwd' }
    const { exitCode, stderr } = await run(
      { 'POST /v1/auth/device': { status: 201, body } },
      pausing(() => undefined),
    )
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('does not answer like a control plane')])
  })

  test('says what is wrong with --url, and with a folder that cannot be written', async () => {
    const never = pausing(() => undefined)
    const wrong = await run({}, never, ['--url', 'ftp://svc.example.com'])
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('--url must be the address')])
    const { configFolder } = settings()
    mkdirSync(configFolder, { recursive: true })
    writeFileSync(join(configFolder, 'svc'), '')
    const options = { env: { SVC_BASE_URL: NOWHERE }, configFolder, timers: never }
    const { exitCode, stderr } = await runSvc(createProject({}), ['login'], options)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('credentials.json cannot be written')])
  })

  test('a folder that others could read is closed to them before anything is asked', async () => {
    const { configFolder } = settings()
    mkdirSync(join(configFolder, 'svc'), { recursive: true })
    chmodSync(join(configFolder, 'svc'), 0o755)
    await runSvc(createProject({}), ['login'], { env: { SVC_BASE_URL: NOWHERE }, configFolder })
    expect(statSync(join(configFolder, 'svc')).mode & 0o777).toBe(0o700)
  })
})
