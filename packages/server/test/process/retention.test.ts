import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/server.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { databaseFile } from '../../src/store/open-store.ts'
import { insertPast } from '../support/past.ts'
import { createFolder } from './server-process.ts'

const Line = z.object({ level: z.number(), msg: z.string(), deleted: z.number().optional() })

/** A folder with a database in it, and the server on it, whose sweeps begin every few milliseconds. */
async function prepare() {
  // The key is given, because the database is there before the server's first start.
  const SVC_MASTER_KEY = randomBytes(32).toString('base64')
  const env = { PORT: '0', SVC_MODEL: 'demo:rules', SVC_DATA_DIR: createFolder(), SVC_MASTER_KEY }
  const onError = (error: unknown) => {
    throw error
  }
  const database = await openDatabase({ engine: 'sqlite', file: databaseFile(env.SVC_DATA_DIR), onError })
  onTestFinished(() => database.close())
  await database.db
    .insertInto('owners')
    .values({ owner_id: 'own_1', email: 'owner@example.com', tier: 'free', created_at: 0 })
    .execute()
  const lines: z.infer<typeof Line>[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(Line.parse(JSON.parse(line))) })
  const start = async (retentionMs: number) => {
    const read = readConfig(env)
    if (!read.ok) throw new Error(JSON.stringify(read.faults))
    return startServer(read.config, env, { logger, onFatal: onError, retentionMs })
  }
  return { database, lines, start }
}

function leave(database: Database, ids: readonly string[]): Promise<void> {
  const past = { ownerId: 'own_1', runtimeId: 'rt_1', projectId: 'proj_1', status: 'completed', startedAt: 1 } as const
  return insertPast(
    database,
    ids.map((executionId) => ({ ...past, executionId, calls: 1 })),
  )
}

async function untilGone({ db }: Database): Promise<void> {
  while ((await db.selectFrom('executions').select('execution_id').execute()).length > 0);
}

// holds TRC-22
test('a server deletes what is past its retention as soon as it runs, and again and again while it does', async () => {
  const { database, lines, start } = await prepare()
  await leave(database, ['exec_1', 'exec_2'])
  const server = await start(5)
  onTestFinished(() => server.stop())
  await untilGone(database)
  await leave(database, ['exec_3'])
  await untilGone(database)
  // A sweep tells of itself once it has ended; one that was still under way may have taken the third along.
  const told = () => lines.reduce((sum, { deleted = 0 }) => sum + deleted, 0)
  while (told() < 3) await new Promise(setImmediate)
  expect(told()).toBe(3)
})

test('the first sweep comes with the start, and none after the end', async () => {
  const { database, lines, start } = await prepare()
  const server = await start(5)
  await server.stop()
  await leave(database, ['exec_1'])
  const again = await start(3_600_000)
  await untilGone(database)
  await again.stop()
  await leave(database, ['exec_2'])
  expect(await database.db.selectFrom('executions').select('execution_id').execute()).toEqual([
    { execution_id: 'exec_2' },
  ])
  expect(lines.filter(({ level }) => level >= 50)).toEqual([])
})

test('a sweep that fails is logged, and the next one makes up for it', async () => {
  const { database, lines, start } = await prepare()
  const server = await start(5)
  onTestFinished(() => server.stop())
  await sql`create trigger no_deletion before delete on executions begin select raise(abort, 'not now'); end`.execute(
    database.db,
  )
  await leave(database, ['exec_2'])
  while (!lines.some(({ level }) => level >= 50)) await new Promise(setImmediate)
  expect(lines.find(({ level }) => level >= 50)?.msg).toBe('data past its retention could not be deleted')
  expect(await database.db.selectFrom('executions').select('execution_id').execute()).toHaveLength(1)
  await sql`drop trigger no_deletion`.execute(database.db)
  await untilGone(database)
})

test('sessions that cannot be swept do not keep executions from being deleted', async () => {
  const { database, lines, start } = await prepare()
  const server = await start(5)
  onTestFinished(() => server.stop())
  await sql`alter table throttles rename to throttles_gone`.execute(database.db)
  while (!lines.some(({ level }) => level >= 50)) await new Promise(setImmediate)
  await leave(database, ['exec_1'])
  await untilGone(database)
})

test('an account whose executions cannot be deleted does not keep those of the accounts after it', async () => {
  const { database, start } = await prepare()
  const { db } = database
  const next = { owner_id: 'own_2', email: 'next@example.com', tier: 'free', created_at: 0 } as const
  await db.insertInto('owners').values(next).execute()
  await sql`create trigger no_deletion before delete on executions when old.owner_id = 'own_1'
    begin select raise(abort, 'not now'); end`.execute(db)
  await leave(database, ['exec_1'])
  const place = { runtimeId: 'rt_2', projectId: 'proj_2', status: 'completed', startedAt: 1 } as const
  await insertPast(database, [{ ...place, ownerId: 'own_2', executionId: 'exec_2' }])
  const server = await start(5)
  onTestFinished(() => server.stop())
  const left = () => db.selectFrom('executions').select('execution_id').execute()
  while ((await left()).length > 1);
  expect(await left()).toEqual([{ execution_id: 'exec_1' }])
})
