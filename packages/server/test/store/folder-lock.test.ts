import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { lockDataFolder } from '../../src/store/sqlite/folder-lock.ts'

test('a second server is refused with the name of the folder, and accepted after the release', () => {
  const folder = createFolder()
  const lock = lockDataFolder(folder)

  expect(() => lockDataFolder(folder)).toThrow(`another server is already running on the data folder ${folder}`)

  lock.release()
  lockDataFolder(folder).release()
})

test('a refused server does not release the lock of the first one', () => {
  const folder = createFolder()
  const lock = lockDataFolder(folder)
  onTestFinished(() => lock.release())

  for (let attempt = 0; attempt < 3; attempt += 1) expect(() => lockDataFolder(folder)).toThrow('already running')
})

test('a missing folder is created', () => {
  const folder = join(createFolder(), 'deep', 'data')

  lockDataFolder(folder).release()

  expect(existsSync(folder)).toBe(true)
})

test('the lock of another process ends when the process is killed', async () => {
  const folder = createFolder()
  const other = spawn(process.execPath, ['-e', HOLD_LOCK, join(folder, 'server.lock')], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(other.stdout, 'data')
  expect(() => lockDataFolder(folder)).toThrow('already running')

  other.kill('SIGKILL')
  await once(other, 'exit')

  lockDataFolder(folder).release()
})

test('a command works on the database beside a running server', async () => {
  const folder = createFolder()
  const lock = lockDataFolder(folder)
  onTestFinished(() => lock.release())
  const options = { engine: 'sqlite', file: join(folder, 'svc.db'), onError: () => undefined } as const
  const server = await openDatabase(options)
  onTestFinished(() => server.close())
  const owner = { owner_id: 'owner_1', email: 'a@example.com', tier: 'free', created_at: 0 } as const

  const command = await openDatabase(options)
  await command.db.insertInto('owners').values(owner).execute()
  await command.close()

  expect(await server.db.selectFrom('owners').selectAll().execute()).toMatchObject([owner])
})

/** Takes the lock as another server does, and keeps it. */
const HOLD_LOCK = `
  const database = require('better-sqlite3')(process.argv[1])
  database.exec('begin exclusive')
  console.log('held')
  setInterval(() => database, 1000)
`

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
