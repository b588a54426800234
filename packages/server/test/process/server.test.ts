import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RuntimeDetail, Session } from '@svc/contract'
import { startOwnerEndpoint } from '@svc/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ask, createOwner, parseOwner, publish, runAdminHere } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, failToStart, type ListeningServer, runAdmin, startServerProcess } from './server-process.ts'

const DEMO = { SVC_MODEL: 'demo:rules' }

describe('a server without any configuration', () => {
  let environment: { SVC_DATA_DIR: string }
  let server: ListeningServer
  const ends: (() => void)[] = []
  beforeAll(async () => {
    const whenOver = (end: () => void) => void ends.unshift(end)
    environment = { SVC_DATA_DIR: join(createFolder(whenOver), 'new', 'folder') }
    server = await startServerProcess(environment, whenOver)
  })
  afterAll(() => {
    for (const end of ends) end()
  })

  // holds OPS-01, OPS-08
  test('says where it listens, where its data lies, which model answers, and that it may call this machine', async () => {
    const { url, summary } = server
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(summary).toContain(join(environment.SVC_DATA_DIR, 'svc.db'))
    expect(summary).toMatch(/SQLite/)
    expect(summary).toMatch(/demo:rules/)
    expect(summary).toContain(`${url}/dashboard`)
    expect(summary).toMatch(/^local +endpoints on this machine may be called by every owner/m)
    expect(await ask(url)).toMatchObject({ status: 200, body: { service: 'svc' } })
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  test('makes its data folder for its owner alone, as the operator’s command does', async () => {
    const ofAdmin = join(createFolder(), 'admin')
    await runAdmin(['create-owner', '--email', 'a@example.com'], { SVC_DATA_DIR: ofAdmin })
    for (const folder of [ofAdmin, environment.SVC_DATA_DIR]) expect(statSync(folder).mode & 0o777, folder).toBe(0o700)
  })

  test('keeps its port: a further start says which, by whom it is taken, and how to take another one', async () => {
    const { port } = new URL(server.url)
    const { code, stderr } = await failToStart({ ...DEMO, SVC_DATA_DIR: createFolder(), PORT: port })
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`\\b${port}\\b`))
    expect(stderr).toContain(`take another port: PORT=${Number(port) + 1} npm start`)
    if (process.platform === 'linux') expect(stderr).toContain(`(process ${server.child.pid}) listens there.`)
  })

  test('names its pages by the address that it is given, and the database that does not answer without its password', async () => {
    const SVC_BASE_URL = 'https://svc.example.com'
    const named = await startServerHere({ ...DEMO, SVC_DATA_DIR: createFolder(), SVC_BASE_URL })
    expect(named.summary).toContain(`pages    ${SVC_BASE_URL}/dashboard`)
    const DATABASE_URL = 'postgres://svc:hidden@127.0.0.1:1/svc'
    const key = { SVC_MASTER_KEY: randomBytes(32).toString('base64') }
    const { code, stderr } = await failToStart({ ...DEMO, ...key, DATABASE_URL })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc could not start: PostgreSQL at 127\.0\.0\.1:1\/svc could not be opened.*ECONNREFUSED/m)
    expect(stderr).not.toContain('hidden')
  })

  test('has a command for operators that says which there are', async () => {
    const { code, stdout, stderr } = await runAdmin(['--help'], {})
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Usage:\n.* backup --to /s)
  })

  test('keeps its folder: a second server on it is refused and told which, and the first one serves on', async () => {
    const refused = await failToStart({ ...DEMO, ...environment })
    expect(refused.code).toBe(1)
    expect(refused.stdout).toBe('')
    expect(refused.stderr).toContain(environment.SVC_DATA_DIR)
    expect((await ask(`${server.url}/health`)).status).toBe(200)
  })

  // holds ACC-09, ACC-10
  test('is told at once of accounts and plans that operators make and change beside it', async () => {
    const { url } = server
    const endpoint = await startOwnerEndpoint()
    onTestFinished(() => endpoint.close())
    const owner = parseOwner((await runAdminHere(['create-owner', '--email', 'A@Example.com'], environment)).stdout)
    expect(owner).toMatchObject({ email: 'a@example.com', tier: 'free' })
    const { runtimeId } = await publish(url, owner.apiKey, endpoint)

    const changed = await runAdmin(['set-tier', '--email', 'a@example.com', '--tier', 'pro'], environment)
    expect(changed.code).toBe(0)
    expect(JSON.parse(changed.stdout)).toEqual({ ownerId: owner.ownerId, email: 'a@example.com', tier: 'pro' })
    expect(changed.stdout.trimEnd()).not.toContain('\n')
    const detail = await ask(`${url}/v1/runtimes/${runtimeId}`, { key: owner.apiKey })
    expect(RuntimeDetail.parse(detail.body).tier).toBe('pro')

    const again = parseOwner(
      (await runAdminHere(['create-owner', '--email', 'a@example.com', '--tier', 'free'], environment)).stdout,
    )
    expect(again).toMatchObject({ ownerId: owner.ownerId, tier: 'pro' })
    for (const key of [owner.apiKey, again.apiKey]) expect((await ask(`${url}/v1/runtimes`, { key })).status).toBe(200)
  })

  // holds ACC-15
  test('is told at once of a password that operators type or pipe in beside it', async () => {
    const { url } = server
    const { ownerId, email } = await createOwner(environment)
    const signIn = (password: string) => ask(`${url}/v1/auth/sign-in`, { body: { email, password } })
    expect(await signIn('correct horse battery')).toMatchObject({ status: 401 })

    const setHere = (to: string, password: string) =>
      runAdminHere(['set-password', '--email', to], environment, password)
    const setPassword = (input: string) =>
      runAdmin(['set-password', '--email', email.toUpperCase()], environment, input)
    const set = await setPassword('correct horse battery\nand a second line\n')
    expect([set.code, JSON.parse(set.stdout)]).toEqual([0, { ownerId, email }])
    expect(set.stdout.trimEnd()).not.toContain('\n')
    expect(set.stdout + set.stderr).not.toContain('correct horse')
    const { status, body } = await signIn('correct horse battery')
    expect(status).toBe(200)
    const { token } = Session.parse(body)
    expect(await ask(`${url}/v1/account`, { key: token })).toMatchObject({ status: 200, body: { ownerId } })

    expect(await setHere(email, 'another battery staple')).toMatchObject({ code: 0 })
    expect(await ask(`${url}/v1/account`, { key: token })).toMatchObject({ status: 401 })
    expect(await signIn('another battery staple')).toMatchObject({ status: 200 })
    const refused = { code: 1, stdout: '', stderr: 'The password must have 10 to 128 characters.\n' }
    expect(await setPassword('too short\n')).toMatchObject(refused)
    for (const password of ['', 'a'.repeat(129)]) expect(await setHere(email, password)).toEqual(refused)
    const nobody = await setHere('nobody@example.com', 'correct horse battery')
    expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('create-owner') })
  })
})

// holds OPS-06
test('the master key is made once, for its owner’s eyes only, and opens what an earlier start has sealed', async () => {
  const environment = { ...DEMO, SVC_DATA_DIR: createFolder() }
  const endpoint = await startOwnerEndpoint({ handle: { echo: (call) => ({ output: call.input }) } })
  onTestFinished(() => endpoint.close())
  const first = await startServerProcess(environment)
  const file = join(environment.SVC_DATA_DIR, 'master.key')
  const key = await readFile(file, 'utf8')
  expect(Buffer.from(key, 'base64')).toHaveLength(32)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { apiKey } = await createOwner(environment)
  const runtime = await publish(first.url, apiKey, endpoint)
  first.child.kill('SIGTERM')
  expect(await first.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining(key.trim()) })

  const second = await startServerHere(environment)
  expect(await readFile(file, 'utf8')).toBe(key)
  const answer = await ask(`${second.url}/v1/capabilities/${runtime.runtimeId}/echo`, {
    body: { input: { text: 'a' } },
  })
  expect(answer).toMatchObject({ status: 200, body: { output: { text: 'a' } } })
  expect(await ask(`${second.url}/v1/runtimes`, { key: apiKey })).toMatchObject({ status: 200 })
})

// holds OPS-07
test('manifests publish the base address that is set, whatever address the server listens on', async () => {
  const environment = { ...DEMO, SVC_DATA_DIR: createFolder(), SVC_BASE_URL: 'https://svc.example.com/base' }
  const { url } = await startServerHere(environment)
  const endpoint = await startOwnerEndpoint()
  onTestFinished(() => endpoint.close())
  const { apiKey } = await createOwner(environment)
  const { runtimeId } = await publish(url, apiKey, endpoint)
  const address = `https://svc.example.com/base/v1/capabilities/${runtimeId}/echo`
  expect(await ask(`${url}/v1/runtime/${runtimeId}/manifest`)).toMatchObject({
    status: 200,
    body: { capabilities: [{ endpoint: { address } }] },
  })
})

// holds OPS-12
test('whatever is in a data folder is for its owner alone, also where folder and files were open to others', async () => {
  const folder = join(createFolder(), 'data')
  mkdirSync(folder, { mode: 0o755 })
  writeFileSync(join(folder, 'notes.txt'), 'of somebody else', { mode: 0o644 })
  const environment = { ...DEMO, SVC_DATA_DIR: folder }
  const filesOf = () => readdirSync(folder).filter((name) => name !== 'notes.txt')
  const openTo = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8)
  const expectPrivate = () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(Object.fromEntries(filesOf().map((name) => [name, openTo(name)]))).toEqual(
      Object.fromEntries(filesOf().map((name) => [name, '600'])),
    )
  }
  const first = await startServerProcess(environment)
  await createOwner(environment)
  expectPrivate()
  expect(filesOf()).toEqual(expect.arrayContaining(['master.key', 'server.lock', 'svc.db', 'svc.db-shm', 'svc.db-wal']))
  first.child.kill('SIGKILL')
  await first.ended
  chmodSync(folder, 0o755)
  for (const name of filesOf()) chmodSync(join(folder, name), 0o644)
  await startServerProcess(environment)
  await createOwner(environment)
  expectPrivate()
  expect(openTo('notes.txt')).toBe('644')
})

// holds OPS-08
test('behind a proxy on the same host nobody reaches what listens on loopback, unless the operator allows it', async () => {
  const deployed = { ...DEMO, SVC_DATA_DIR: createFolder(), SVC_BASE_URL: 'https://svc.example.com' }
  const internal = await startOwnerEndpoint({ handle: { echo: () => ({ output: { secret: 'internal' } }) } })
  onTestFinished(() => internal.close())
  const { url, summary, stop } = await startServerHere(deployed)
  expect(summary).toMatch(/^local +endpoints on this machine are refused \(SVC_ALLOW_LOCAL_ENDPOINTS=1 allows them\)$/m)
  const newcomer = { email: 'newcomer@example.com', password: 'correct horse battery' }
  const { token: key } = Session.parse((await ask(`${url}/v1/auth/sign-up`, { body: newcomer })).body)
  const runtime = await publish(url, key, internal)
  const call = (at: string) => ask(`${at}/v1/capabilities/${runtime.runtimeId}/echo`, { body: { input: {} } })
  const refused = await call(url)
  expect(refused.status).toBe(502)
  expect(JSON.stringify(refused.body)).not.toContain('internal')
  await stop()
  const allowed = await startServerHere({ ...deployed, SVC_ALLOW_LOCAL_ENDPOINTS: '1' })
  expect(await call(allowed.url)).toMatchObject({ status: 200, body: { output: { secret: 'internal' } } })
})

const badCommands = [
  [],
  ['drop-owner', '--email', 'a@example.com'],
  ['create-owner'],
  ['create-owner', '--email', 'nobody'],
  ['create-owner', '--email', 'a@example.com', '--tier', 'gold'],
  ['create-owner', '--email', 'a@example.com', '--admin'],
  ['set-tier', '--email', 'a@example.com'],
] as const

test('a command that cannot be understood changes nothing, fails, and says how it is used', async () => {
  const SVC_DATA_DIR = join(createFolder(), 'untouched')
  const usage = /create-owner --email[\s\S]*set-tier --email/
  const refused = { code: 1, stdout: '', stderr: expect.stringMatching(usage) }
  for (const args of badCommands) expect(await runAdminHere(args, { SVC_DATA_DIR }), String(args)).toEqual(refused)
  expect(await runAdmin(badCommands[1], { SVC_DATA_DIR })).toMatchObject(refused)
  expect(() => statSync(SVC_DATA_DIR)).toThrow('ENOENT')
})

// holds ACC-10
test('set-tier for an address without an account fails and says so', async () => {
  const args = ['set-tier', '--email', 'nobody@example.com', '--tier', 'pro']
  const { code, stdout, stderr } = await runAdminHere(args, { SVC_DATA_DIR: createFolder() })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('nobody@example.com')
})

test('all faults of the configuration are told together, each by its variable', async () => {
  const faults = {
    PORT: '70000',
    DATABASE_URL: 'mysql://localhost/svc',
    SVC_MASTER_KEY: 'c2hvcnQ=',
    SVC_BASE_URL: 'svc.example.com',
    SVC_ALLOW_LOCAL_ENDPOINTS: 'yes',
    SVC_LIMIT_STEPS: '0',
    SVC_LIMIT_BODY_BYTES: '1MB',
    SVC_LOG_LEVEL: 'loud',
  }
  const SVC_DATA_DIR = join(createFolder(), 'untouched')
  const { code, stdout, stderr } = await failToStart({ ...faults, SVC_DATA_DIR })
  expect([code, stdout]).toEqual([1, ''])
  for (const variable of Object.keys(faults)) expect(stderr).toMatch(new RegExp(`^ *${variable} .+`, 'm'))
  expect(stderr).not.toContain('c2hvcnQ=')
  expect(stderr).not.toMatch(/\bat .*\.js:\d+/)
  expect(() => statSync(SVC_DATA_DIR)).toThrow('ENOENT')
})

test('a model that does not exist is a fault of its variable, and leaves no data behind', async () => {
  const SVC_DATA_DIR = join(createFolder(), 'untouched')
  await expect(startServerHere({ SVC_DATA_DIR, SVC_MODEL: 'nobody:nothing' })).rejects.toThrow('SVC_MODEL')
  expect(() => statSync(SVC_DATA_DIR)).toThrow('ENOENT')
})
