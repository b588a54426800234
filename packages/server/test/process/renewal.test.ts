import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/server.ts'
import { openDatabase } from '../../src/store/database.ts'
import { databaseFile } from '../../src/store/open-store.ts'
import { createFolder } from './server-process.ts'

test('a running server renews its lease, and takes a new one when another node has ended it', async () => {
  const env = { PORT: '0', SVC_MODEL: 'demo:rules', SVC_DATA_DIR: createFolder() }
  const read = readConfig(env)
  if (!read.ok) throw new Error(JSON.stringify(read.faults))
  const fail = (error: unknown) => {
    throw error
  }
  const logger = pino({ level: 'silent' })
  const server = await startServer(read.config, env, { logger, onFatal: fail, renewalMs: 5 })
  onTestFinished(() => server.stop())
  const { db, close } = await openDatabase({ engine: 'sqlite', file: databaseFile(env.SVC_DATA_DIR), onError: fail })
  onTestFinished(close)
  const lease = () => db.selectFrom('nodes').selectAll().executeTakeFirst()

  const first = await lease()
  let renewed = first
  while (renewed?.lease_until === first?.lease_until) renewed = await lease()
  expect(renewed?.node_id).toBe(first?.node_id)
  expect(Number(renewed?.lease_until)).toBeGreaterThan(Number(first?.lease_until))

  // As a node whose clock runs ahead would: it ends this one's lease, and fails what this one runs.
  await db.deleteFrom('nodes').execute()
  await db.insertInto('nodes').values({ node_id: randomUUID(), lease_until: 0, started_at: 0 }).execute()
  const own = db
    .selectFrom('nodes')
    .selectAll()
    .where('node_id', '=', first?.node_id ?? '')
  let retaken = await own.executeTakeFirst()
  while (!retaken) retaken = await own.executeTakeFirst()
  expect(Number(retaken.lease_until)).toBeGreaterThanOrEqual(Number(renewed?.lease_until))
})

test('a server that stops while renewals are under way leaves no lease behind, and asks nothing of a closed store', async () => {
  const env = { PORT: '0', SVC_MODEL: 'demo:rules', SVC_DATA_DIR: createFolder() }
  const read = readConfig(env)
  if (!read.ok) throw new Error(JSON.stringify(read.faults))
  const fail = (error: unknown) => {
    throw error
  }
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const often = { renewalMs: 1, retentionMs: 1, foldMs: 1 }
  const server = await startServer(read.config, env, { logger, onFatal: fail, ...often })
  await server.stop()
  const { db, close } = await openDatabase({ engine: 'sqlite', file: databaseFile(env.SVC_DATA_DIR), onError: fail })
  onTestFinished(close)
  expect(await db.selectFrom('nodes').selectAll().execute()).toEqual([])
  expect(lines).toEqual([])
})
