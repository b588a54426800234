import { inspect } from 'node:util'
import { sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { MIGRATION_NAMES } from '../../src/store/migrations.ts'
import { createEmptyTestPlace, describeEngines, type TestEngine, useDatabase } from '../support/engines.ts'
import { credentialRow, executionRow, usageRow } from './rows.ts'

describeEngines('opening a database', (engine) => {
  test('a database that is opened again has its rows, and no migration is repeated', async () => {
    const place = await createEmptyTestPlace(engine)
    const first = await openDatabase(place.options)
    await first.db.insertInto('credentials').values(credentialRow()).execute()
    await first.close()

    const second = await openDatabase(place.options)
    onTestFinished(() => second.close())

    expect(await second.db.selectFrom('credentials').select('credential_id').execute()).toHaveLength(1)
    expect(await appliedMigrations(second)).toEqual(MIGRATION_NAMES)
  })

  // The last one waits for the lock of all others, and SQLite's for five seconds at most: three wait a tenth of that.
  test('three concurrent openings apply each migration once', async () => {
    const place = await createEmptyTestPlace(engine)

    const opened = await Promise.all(Array.from({ length: 3 }, () => openDatabase(place.options)))
    onTestFinished(async () => {
      for (const database of opened) await database.close()
    })

    for (const database of opened) expect(await appliedMigrations(database)).toEqual(MIGRATION_NAMES)
  })

  test('an unreachable database is an error', async () => {
    const options = { ...unreachable(engine), onError: () => undefined }

    await expect(openDatabase(options)).rejects.toThrow(/ECONNREFUSED|unable to open/)
  })

  test('a query after closing rejects', async () => {
    const place = await createEmptyTestPlace(engine)
    const database = await openDatabase(place.options)

    await database.close()

    await expect(database.db.selectFrom('owners').selectAll().execute()).rejects.toThrow(/destroyed/)
  })
})

describeEngines('the schema', (engine) => {
  const database = useDatabase(engine)

  test('a running execution has a node', async () => {
    const row = executionRow({ execution_id: 'exec_nodeless', node_id: null })

    await expect(insertExecution(row)).rejects.toThrow('executions_running_has_node')
  })

  test('an execution has an end time if and only if it is not running', async () => {
    const open = executionRow({ execution_id: 'exec_open', status: 'failed', finish_reason: 'error' })
    const shut = executionRow({ execution_id: 'exec_shut', completed_at: 1_700_000_000_001 })

    await expect(insertExecution(open)).rejects.toThrow('executions_running_is_open')
    await expect(insertExecution(shut)).rejects.toThrow('executions_running_is_open')
    await insertExecution(executionRow({ ...open, completed_at: 1_700_000_000_001 }))
  })

  test.each([
    sql`insert into owners (owner_id, email, tier, created_at) values ('owner_2', 'A@example.com', 'free', 0)`,
    sql`insert into owners (owner_id, email, tier, created_at) values ('owner_2', 'a@example.com', 'gold', 0)`,
    sql`insert into projects values ('owner_2', 'proj_2', 'Shop', null, 2, 0, 0)`,
    sql`update executions set finish_reason = 'bored'`,
    sql`update executions set kind = 'dream'`,
  ])('a value outside an enumeration is refused (%#)', async (statement) => {
    await insertExecution(executionRow({ execution_id: 'exec_states' })).catch(() => undefined)

    await expect(statement.execute(database().db)).rejects.toThrow(/check/i)
  })

  test('an owner has one default project and any number of others', async () => {
    const project = (id: string, isDefault: 0 | 1) => {
      const row = { owner_id: 'owner_1', project_id: id, name: id, is_default: isDefault, created_at: 0, updated_at: 0 }
      return database().db.insertInto('projects').values(row).execute()
    }
    await project('proj_default', 1)
    await project('proj_other', 0)
    await project('proj_third', 0)

    const error = await project('proj_second_default', 1).catch((thrown: unknown) => thrown)

    expect(isUniqueViolation(error)).toBe(true)
  })

  test('a duplicate key is told apart from other errors', async () => {
    const { db } = database()
    const insert = (row: ReturnType<typeof credentialRow>) => db.insertInto('credentials').values(row).execute()
    await insert(credentialRow({ credential_id: 'cred_twice', hash: 'hash_twice' }))

    const again = await insert(credentialRow({ credential_id: 'cred_twice', hash: 'x' })).catch((thrown) => thrown)
    const sameHash = await insert(credentialRow({ credential_id: 'y', hash: 'hash_twice' })).catch((thrown) => thrown)
    const nonsense = await sql`selekt`.execute(db).catch((thrown) => thrown)

    expect([again, sameHash, nonsense].map(isUniqueViolation)).toEqual([true, true, false])
  })

  test('an error holds no values of its rows', async () => {
    const row = executionRow({ execution_id: 'exec_private', node_id: null, metadata: '{"pet":"canary"}' })

    const error = await insertExecution(row).catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(Error)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary')
  })

  test('ids sort by their bytes, upper case first', async () => {
    const { db } = database()
    const ids = ['exec_a', 'exec_B', 'exec_b', 'exec_A', 'exec_1']
    await db
      .insertInto('executions')
      .values(ids.map((id) => executionRow({ owner_id: 'owner_sorted', execution_id: id })))
      .execute()

    const rows = db.selectFrom('executions').select('execution_id').where('owner_id', '=', 'owner_sorted')
    const sorted = await rows.orderBy('execution_id').execute()
    const after = await rows.where('execution_id', '>', 'exec_B').orderBy('execution_id').execute()

    expect(sorted.map((row) => row.execution_id)).toEqual(['exec_1', 'exec_A', 'exec_B', 'exec_a', 'exec_b'])
    expect(after.map((row) => row.execution_id)).toEqual(['exec_a', 'exec_b'])
  })

  test('integers are read as numbers from columns, sums and divisions', async () => {
    const { db } = database()
    const hours = [1_699_999_200_000, 1_700_002_800_000]
    const rows = hours.map((hour) => usageRow({ owner_id: 'owner_sums', at: hour, input_tokens: 3_000_000_000 }))
    await db.insertInto('execution_rollups').values(rows).execute()

    const sums = await db
      .selectFrom('execution_rollups')
      .select(({ fn }) => [fn.sum<number>('input_tokens').as('tokens'), fn.max('at').as('latest')])
      .where('owner_id', '=', 'owner_sums')
      .executeTakeFirstOrThrow()
    const hour = await sql<{
      hour: number
    }>`select ${1_700_003_599_999} / cast(${3_600_000} as bigint) as hour`.execute(db)

    expect(sums).toEqual({ tokens: 6_000_000_000, latest: 1_700_002_800_000 })
    expect(hour.rows).toEqual([{ hour: 472_223 }])
  })

  test('a fraction in an integer column is refused', async () => {
    const row = executionRow({ execution_id: 'exec_fraction', duration_ms: 12.5 })

    await expect(insertExecution(row)).rejects.toThrow(/12\.5|REAL/)
  })

  test('counters default to zero, optional columns to null', async () => {
    const { db } = database()
    await insertExecution(executionRow({ owner_id: 'owner_fresh', execution_id: 'exec_fresh' }))

    const row = await db
      .selectFrom('executions')
      .selectAll()
      .where('owner_id', '=', 'owner_fresh')
      .executeTakeFirstOrThrow()

    expect(row).toMatchObject({ steps: 0, call_count: 0, total_tokens: 0, metadata: null, completed_at: null })
  })

  test('an update returns the number of changed rows', async () => {
    const { db } = database()
    const rows = ['exec_x', 'exec_y'].map((id) => executionRow({ owner_id: 'owner_counted', execution_id: id }))
    await db.insertInto('executions').values(rows).execute()

    const update = db.updateTable('executions').set({ steps: 1 }).where('owner_id', '=', 'owner_counted')

    expect((await update.executeTakeFirst()).numUpdatedRows).toBe(2n)
    expect(await update.returning('execution_id').execute()).toHaveLength(2)
    expect((await update.where('execution_id', '=', 'exec_z').executeTakeFirst()).numUpdatedRows).toBe(0n)
  })

  function insertExecution(row: ReturnType<typeof executionRow>) {
    return database().db.insertInto('executions').values(row).execute()
  }
})

describe('a list by owner', () => {
  describeEngines('reads one range of an index', (engine) => {
    const database = useDatabase(engine)

    const ENDED = "status = 'failed' and status <> 'running'"

    // Without rows and their statistics PostgreSQL expects the same of every index.
    beforeAll(async () => {
      const { db } = database()
      const rows = Array.from({ length: 2_000 }, (_, at) =>
        executionRow({
          owner_id: 'o',
          execution_id: `e${at}`,
          runtime_id: at % 7 ? 's' : 'r',
          project_id: at % 5 ? 'q' : 'p',
          ...(at % 3 && { status: 'failed', completed_at: at }),
          started_at: at,
        }),
      )
      await db.insertInto('executions').values(rows).execute()
      await sql`analyze executions`.execute(db)
    })

    test.each([
      ['executions_by_status', ENDED],
      ['executions_by_project_status', `${ENDED} and project_id = 'p'`],
      ['executions_by_place_status', `${ENDED} and runtime_id || ' ' || project_id = 'r p'`],
      ['executions_running', "status = 'running'"],
    ])('%s', async (index, where) => {
      for (const bound of ['', 'and started_at < 5', "and (started_at, execution_id) < (5, 'e')"]) {
        const page = `select * from executions where owner_id = 'o' and ${where}
          and started_at >= 1 ${bound} order by started_at desc, execution_id desc limit 50`

        const plan = await explain(page)

        expect(plan).toContain(index)
        expect(plan).not.toMatch(/sort|temp b-tree|filter/i)
      }
    })

    async function explain(query: string): Promise<string> {
      const { db } = database()
      if (engine.name === 'sqlite')
        return JSON.stringify((await sql.raw(`explain query plan ${query}`).execute(db)).rows)
      // A small table is read as a whole whatever indexes it has, unless that is forbidden.
      return db.connection().execute(async (one) => {
        await sql`set enable_seqscan = off`.execute(one)
        await sql`set enable_bitmapscan = off`.execute(one)
        return JSON.stringify((await sql.raw(`explain ${query}`).execute(one)).rows)
      })
    }
  })
})

async function appliedMigrations({ db }: Awaited<ReturnType<typeof openDatabase>>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map((row) => row.name)
}

function unreachable(engine: TestEngine) {
  return engine.name === 'sqlite'
    ? ({ engine: 'sqlite', file: '/' } as const)
    : ({ engine: 'postgres', url: 'postgres://svc@127.0.0.1:1/svc' } as const)
}

function isUniqueViolation(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return ['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(String(code))
}
