import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CreatedRuntime, ExecutionList } from '@svc/contract'
import { startOwnerEndpoint } from '@svc/testkit'
import SqliteDatabase from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ask, createOwner, publish, runAdminHere } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, runAdmin, startServerProcess } from './server-process.ts'

const DEMO = { SVC_MODEL: 'demo:rules' }

const Backup = z.strictObject({
  backup: z.string(),
  bytes: z.number().positive(),
  schema: z.string().min(1),
  executions: z.number(),
  masterKey: z.boolean(),
})
const Restored = z.strictObject({
  restored: z.string(),
  schema: z.string(),
  executions: z.number(),
  masterKey: z.enum(['restored', 'in SVC_MASTER_KEY', 'missing']),
  next: z.string().optional(),
})

/** A command that must succeed, and print one line of JSON. */
async function command<T>(
  schema: z.ZodType<T>,
  args: readonly string[],
  SVC_DATA_DIR: string,
  run: (args: readonly string[], environment: { SVC_DATA_DIR: string }) => ReturnType<typeof runAdminHere> = runAdmin,
): Promise<T> {
  const { code, stdout, stderr } = await run(args, { SVC_DATA_DIR })
  if (code !== 0) throw new Error(stderr)
  expect(stdout.trimEnd()).not.toContain('\n')
  return schema.parse(JSON.parse(stdout))
}

/** A data folder that was served on, with one account. */
async function makeData() {
  const SVC_DATA_DIR = join(createFolder(), 'data')
  const owner = await createOwner({ SVC_DATA_DIR })
  return { folder: SVC_DATA_DIR, owner }
}

test('a drill: a backup of a server under load is restored, and holds what was answered before it, to the unit', async () => {
  const endpoint = await startOwnerEndpoint({ handle: { echo: (call) => ({ output: call.input }) } })
  onTestFinished(() => endpoint.close())
  const { folder } = await makeData()
  const environment = { ...DEMO, SVC_DATA_DIR: folder }
  const { apiKey } = await createOwner(environment, 'enterprise')
  await runAdminHere(['set-tier', '--email', 'owner@example.com', '--tier', 'enterprise'], environment)
  const server = await startServerProcess(environment)
  const runtime = CreatedRuntime.parse(await publish(server.url, apiKey, endpoint))
  const call = (index: number) =>
    ask(`${server.url}/v1/capabilities/${runtime.runtimeId}/echo`, { body: { input: { text: String(index) } } })
  const before = await Promise.all(Array.from({ length: 30 }, (_, index) => call(index)))
  let isOver = false
  const load = Array.from({ length: 8 }, async () => {
    let answered = 0
    for (; !isOver; answered += 1) expect((await call(answered)).status).toBe(200)
    return answered
  })
  const backup = join(createFolder(), 'backups', 'first')
  const told = await command(Backup, ['backup', '--to', backup, '--with-master-key'], folder)
  isOver = true
  const answered = (await Promise.all(load)).reduce((sum, each) => sum + each, before.length)
  expect(told).toMatchObject({ backup, masterKey: true })
  expect(told.executions).toBeGreaterThanOrEqual(before.length)
  expect(told.executions).toBeLessThanOrEqual(answered + load.length)
  server.child.kill('SIGKILL')
  await server.ended

  const restored = join(createFolder(), 'restored')
  expect(await command(Restored, ['restore', '--from', backup], restored)).toMatchObject({
    restored,
    masterKey: 'restored',
    executions: told.executions,
  })
  expect(statSync(restored).mode & 0o777).toBe(0o700)
  for (const file of ['svc.db', 'master.key']) expect(statSync(join(restored, file)).mode & 0o777, file).toBe(0o600)
  const again = await startServerHere({ ...DEMO, SVC_DATA_DIR: restored })
  const revealed = await ask(`${again.url}/v1/runtimes/${runtime.runtimeId}/reveal-key`, {
    key: apiKey,
    body: { type: 'public' },
  })
  expect(revealed).toMatchObject({ status: 200, body: { key: runtime.publicKey } })
  const running = await ask(`${again.url}/v1/executions?status=running`, { key: apiKey })
  expect(ExecutionList.parse(running.body).executions).toEqual([])
  for (const { body } of before) {
    const { executionId } = z.object({ executionId: z.string() }).parse(body)
    const trace = await ask(`${again.url}/v1/executions/${executionId}`, { key: apiKey })
    expect(trace).toMatchObject({ status: 200, body: { status: 'completed' } })
  }
  const next = await ask(`${again.url}/v1/capabilities/${runtime.runtimeId}/echo`, { body: { input: {} } })
  expect(next.status).toBe(200)
  await again.stop()
  const database = new SqliteDatabase(join(restored, 'svc.db'), { readonly: true })
  onTestFinished(() => void database.close())
  const counted = (sql: string) => Number(database.prepare(sql).pluck().get())
  expect(counted('select count(*) from executions')).toBe(told.executions + 1)
  // Ledger and counters tell the same story.
  expect(counted("select sum(executions) from execution_rollups where grain = 'hour'")).toBe(told.executions + 1)
  expect(counted("select count(*) from executions where status = 'running'")).toBe(0)
})

test('a backup keeps the master key apart unless it is asked for, is for its owner’s eyes, and overwrites nothing', async () => {
  const { folder } = await makeData()
  const to = join(createFolder(), 'backup')
  expect(await command(Backup, ['backup', '--to', to], folder)).toMatchObject({ masterKey: false })
  expect(readdirSync(to)).toEqual(['svc.db'])
  expect([to, join(to, 'svc.db')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
  const bytes = readFileSync(join(to, 'svc.db'))
  const again = await runAdminHere(['backup', '--to', to, '--with-master-key'], { SVC_DATA_DIR: folder })
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is there already') })
  expect(readdirSync(to)).toEqual(['svc.db'])
  expect(readFileSync(join(to, 'svc.db')).equals(bytes)).toBe(true)
})

test('a backup of nothing, of a database with a key that is elsewhere, or with PostgreSQL is refused, and leaves nothing', async () => {
  const empty = join(createFolder(), 'nothing')
  const to = join(createFolder(), 'backup')
  const SVC_MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
  const nothing = await runAdminHere(['backup', '--to', to], { SVC_DATA_DIR: empty })
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no database at') })
  const elsewhere = join(createFolder(), 'data')
  await createOwner({ SVC_DATA_DIR: elsewhere, SVC_MASTER_KEY })
  const keyless = ['backup', '--to', to, '--with-master-key']
  const noKey = await runAdminHere(keyless, { SVC_DATA_DIR: elsewhere, SVC_MASTER_KEY })
  expect(noKey).toMatchObject({ code: 1, stderr: expect.stringContaining('the master key is in SVC_MASTER_KEY') })
  const postgres = { DATABASE_URL: 'postgres://127.0.0.1:1/svc', SVC_MASTER_KEY }
  for (const args of [
    ['backup', '--to', to],
    ['restore', '--from', to],
  ]) {
    expect(await runAdminHere(args, postgres)).toMatchObject({ code: 1, stderr: expect.stringContaining('pg_dump') })
  }
  expect(existsSync(empty) || existsSync(to)).toBe(false)
})

test('a backup that cannot be written says so, and not that the store could not be reached', async () => {
  const { folder } = await makeData()
  const file = join(createFolder(), 'a-file')
  writeFileSync(file, '')
  const refused = await runAdminHere(['backup', '--to', join(file, 'backup')], { SVC_DATA_DIR: folder })
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('could not be written to') })
  expect(refused.stderr).not.toContain('could not be reached')
})

test('a restore without the master key says so, and a server on it does not start until it is there', async () => {
  const { folder, owner } = await makeData()
  const to = join(createFolder(), 'backup')
  await command(Backup, ['backup', '--to', to], folder, runAdminHere)
  const restored = join(createFolder(), 'restored')
  const told = await command(Restored, ['restore', '--from', to], restored, runAdminHere)
  expect(told).toMatchObject({ masterKey: 'missing', next: expect.stringContaining('master.key') })
  writeFileSync(join(restored, 'master.key'), readFileSync(join(folder, 'master.key')))
  const server = await startServerHere({ ...DEMO, SVC_DATA_DIR: restored })
  expect(await ask(`${server.url}/v1/runtimes`, { key: owner.apiKey })).toMatchObject({ status: 200 })
  const other = join(createFolder(), 'other')
  const SVC_MASTER_KEY = readFileSync(join(folder, 'master.key'), 'utf8').trim()
  const elsewhere = await runAdminHere(['restore', '--from', to], { SVC_DATA_DIR: other, SVC_MASTER_KEY })
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({ masterKey: 'in SVC_MASTER_KEY' })
})

test('a restore overwrites nothing, and is refused while a server holds the folder', async () => {
  const { folder } = await makeData()
  const to = join(createFolder(), 'backup')
  await command(Backup, ['backup', '--to', to], folder, runAdminHere)
  const bytes = readFileSync(join(folder, 'svc.db'))
  const onData = await runAdminHere(['restore', '--from', to], { SVC_DATA_DIR: folder })
  expect(onData).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is not empty') })
  expect(readFileSync(join(folder, 'svc.db')).equals(bytes)).toBe(true)
  const served = createFolder()
  await startServerHere({ ...DEMO, SVC_DATA_DIR: served })
  const onServer = await runAdmin(['restore', '--from', to], { SVC_DATA_DIR: served })
  expect(onServer).toMatchObject({ code: 1, stderr: expect.stringContaining('another server is already running') })
})

test('what is damaged, foreign, newer, or torn from a running server is refused, and leaves no database behind', async () => {
  const { folder } = await makeData()
  const whole = join(createFolder(), 'backup')
  await command(Backup, ['backup', '--to', whole], folder, runAdminHere)
  const from = async (spoil: (file: string) => void) => {
    const backup = join(createFolder(), 'backup')
    cpSync(whole, backup, { recursive: true })
    chmodSync(join(backup, 'svc.db'), 0o600)
    spoil(join(backup, 'svc.db'))
    const SVC_DATA_DIR = join(createFolder(), 'restored')
    const { code, stdout, stderr } = await runAdminHere(['restore', '--from', backup], { SVC_DATA_DIR })
    expect([code, stdout]).toEqual([1, ''])
    const left = existsSync(SVC_DATA_DIR)
      ? readdirSync(SVC_DATA_DIR).filter((name) => !name.startsWith('server.lock'))
      : []
    expect(left).toEqual([])
    return stderr
  }
  const run = (statement: string) => (file: string) => {
    const database = new SqliteDatabase(file)
    database.exec(statement)
    database.close()
  }
  expect(await from((file) => truncateSync(file, 20_000))).toContain('is damaged')
  expect(await from((file) => writeFileSync(file, 'no database'))).toContain('is damaged')
  expect(await from(run('drop table kysely_migration'))).toContain('not one of this service')
  const newer = "insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')"
  expect(await from(run(newer))).toContain('newer version')
  expect(await from((file) => writeFileSync(`${file}-wal`, ''))).toContain('copied from a running server')
  const folderWithout = createFolder()
  mkdirSync(join(folderWithout, 'empty'))
  const none = await runAdminHere(['restore', '--from', join(folderWithout, 'empty')], { SVC_DATA_DIR: createFolder() })
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('must be a folder that backup made') })
})
