import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/server.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { databaseFile } from '../../src/store/open-store.ts'
import { journalEntry } from '../support/settlement.ts'
import { createFolder } from './server-process.ts'

/** A folder with a database in it, and what starts the server on it. */
async function prepare() {
  const env = {
    PORT: '0',
    SVC_MODEL: 'demo:rules',
    SVC_DATA_DIR: createFolder(),
    SVC_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  }
  const onError = (error: unknown) => {
    throw error
  }
  const database = await openDatabase({ engine: 'sqlite', file: databaseFile(env.SVC_DATA_DIR), onError })
  onTestFinished(() => database.close())
  const start = async (aggregateMs: number) => {
    const read = readConfig(env)
    if (!read.ok) throw new Error(JSON.stringify(read.faults))
    return startServer(read.config, env, { logger: pino({ level: 'silent' }), onFatal: onError, aggregateMs })
  }
  return { database, start }
}

async function leaveOne({ db }: Database): Promise<void> {
  const place = { ownerId: 'own_1', runtimeId: 'rt_1', projectId: 'proj_1', deploymentVersion: 1, startedAt: 1 }
  const sizes = { storedBytes: 1, inputTokens: 1, outputTokens: 1, durationMs: 1 }
  const counts = { ...sizes, isCompleted: true, isAnonymous: false, calls: [] }
  await db
    .insertInto('usage_journal')
    .values(journalEntry([{ ...place, ...counts }]))
    .execute()
}

async function waiting({ db }: Database): Promise<number> {
  return (await db.selectFrom('usage_journal').select('id').execute()).length
}

async function counted({ db }: Database): Promise<(number | undefined)[]> {
  const rows = await db.selectFrom('execution_rollups').select(['grain', 'executions']).orderBy('grain').execute()
  return rows.map(({ executions }) => executions)
}

test('a server counts what another one left as soon as it runs, and what comes while it does', async () => {
  const { database, start } = await prepare()
  await leaveOne(database)
  const server = await start(5)
  onTestFinished(() => server.stop())
  while ((await waiting(database)) > 0);
  expect(await counted(database)).toEqual([1, 1])
  await leaveOne(database)
  while ((await waiting(database)) > 0);
  expect(await counted(database)).toEqual([2, 2])
})

test('a server that stops leaves nothing uncounted', async () => {
  const { database, start } = await prepare()
  const server = await start(3_600_000)
  await leaveOne(database)
  await server.stop()
  expect([await waiting(database), await counted(database)]).toEqual([0, [1, 1]])
})
