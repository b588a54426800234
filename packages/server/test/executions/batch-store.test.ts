import { type Kysely, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { BatchContext } from '../../src/executions/batch-rules.ts'
import { createBatchStore } from '../../src/executions/batch-store.ts'
import { BATCH_STATEMENTS } from '../../src/executions/postgres-batch-store.ts'
import type { Settlement } from '../../src/executions/settlement-rules.ts'
import { openDatabase } from '../../src/store/database.ts'
import { openPostgres } from '../../src/store/postgres/pool.ts'
import type { Schema } from '../../src/store/schema.ts'
import { listWaiting } from '../../src/usage/journal-store.ts'
import { executionRow } from '../store/rows.ts'
import { createTestPlace, describeEngine, describeEngines, type TestEngine } from '../support/engines.ts'
import { holdLease, newRow, settlement } from '../support/settlement.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const FREE_BURST = 50

async function open(engine: TestEngine) {
  const place = await createTestPlace(engine)
  const database = await openDatabase(place.options)
  onTestFinished(() => database.close())
  const { db } = database
  const owner = { owner_id: 'owner_1', email: 'a@example.com', tier: 'free', created_at: NOW } as const
  await db.insertInto('owners').values(owner).execute()
  const runtime = { owner_id: 'owner_1', runtime_id: 'rt_1', project_id: 'proj_1', name: 'Shop', version: '1.0.0' }
  const rest = { allowed_origins: '[]', secret_sealed: 'x', revision: 1, created_at: NOW, updated_at: NOW }
  await db
    .insertInto('runtimes')
    .values({ ...runtime, ...rest })
    .execute()
  await holdLease(db)
  const write = createBatchStore(db)
  const at = { nodeId: 'node_1', now: NOW, isRepeat: false, beforeCommit: () => {} }
  return {
    db,
    location: place.location,
    admit: async (ids: readonly string[], changes: Partial<BatchContext> = {}) => {
      const admissions = ids.map((id) => ({ revision: 1, row: request(id) }))
      const outcomes = await write({ admissions, calls: [], settlements: [] }, { ...at, ...changes })
      return outcomes.admissions.map((admission) => admission?.outcome ?? null)
    },
    settle: async (settlements: readonly Settlement[], changes: Partial<BatchContext> = {}) => {
      const batch = { admissions: [], calls: [], settlements }
      return (await write(batch, { ...at, ...changes })).settlements
    },
  }
}

const request = (execution_id: string) => newRow({ execution_id, kind: 'broker', started_at: NOW })

const statuses = async (db: Kysely<Schema>) =>
  (await db.selectFrom('executions').select('status').orderBy('execution_id').execute()).map(({ status }) => status)

const charged = async (db: Kysely<Schema>) => {
  const row = await db.selectFrom('allowances').select('full_at').where('bucket', '=', 'executions').executeTakeFirst()
  return ((row?.full_at ?? NOW) - NOW) / 36_000
}

describeEngines('a batch of executions', (engine) => {
  test('admits as many executions as the quota allows, in their order', async () => {
    const { db, admit } = await open(engine)
    const ids = Array.from({ length: FREE_BURST + 5 }, (_, index) => `exec_${index}`)
    const outcomes = await admit(ids)
    expect(outcomes.filter((outcome) => outcome === 'admitted')).toHaveLength(FREE_BURST)
    expect(outcomes.slice(FREE_BURST)).toEqual(Array.from({ length: 5 }, () => 'refused'))
    expect([await charged(db), (await statuses(db)).length]).toEqual([FREE_BURST, FREE_BURST])
  })

  test('of a node that holds no lease writes nothing', async () => {
    const { db, admit, settle } = await open(engine)
    await db
      .insertInto('executions')
      .values(executionRow({ node_id: 'node_2' }))
      .execute()
    expect(await admit(['exec_2'], { nodeId: 'node_2' })).toEqual([null])
    expect(await settle([settlement({ execution_id: 'exec_1' })], { nodeId: 'node_2' })).toEqual([false])
    expect([await statuses(db), await charged(db), await listWaiting(db)]).toEqual([['running'], 0, []])
  })

  test('leaves an execution that another node has ended as it is, and counts nothing', async () => {
    const { db, settle } = await open(engine)
    const ended = { status: 'failed', completed_at: NOW, error: 'ended elsewhere' } as const
    await db
      .insertInto('executions')
      .values([executionRow({ execution_id: 'exec_1', ...ended }), executionRow({ execution_id: 'exec_2' })])
      .execute()
    const both = ['exec_1', 'exec_2'].map((execution_id) => settlement({ execution_id }))
    expect(await settle(both)).toEqual([false, true])
    expect(await statuses(db)).toEqual(['failed', 'completed'])
    expect(await listWaiting(db)).toHaveLength(1)
  })
})

describeEngine('postgres', 'a batch that may have been written before', (engine) => {
  test('returns the stored outcomes, and is charged and counted once', async () => {
    const { db, admit, settle } = await open(engine)
    expect(await admit(['exec_1'])).toEqual(['admitted'])
    expect(await admit(['exec_1', 'exec_2'], { isRepeat: true })).toEqual(['admitted', 'admitted'])
    expect(await charged(db)).toBe(2)
    const [first, second] = ['exec_1', 'exec_2'].map((execution_id) => settlement({ execution_id }))
    if (!first || !second) throw new Error('two were made')
    expect(await settle([first])).toEqual([true])
    const other = { ...second, row: { ...second.row, status: 'failed' as const } }
    expect(await settle([first, second], { isRepeat: true })).toEqual([true, true])
    expect(await settle([other], { isRepeat: true })).toEqual([false])
    expect(await listWaiting(db)).toHaveLength(2)
  })

  test('does not admit an execution that has ended since', async () => {
    const { db, admit } = await open(engine)
    await admit(['exec_1'])
    await db.updateTable('executions').set({ status: 'failed', completed_at: NOW }).execute()
    expect(await admit(['exec_1', 'exec_2'], { isRepeat: true })).toEqual([null, 'admitted'])
    expect(await charged(db)).toBe(2)
  })
})

describeEngine('postgres', 'the statements of a batch', (engine) => {
  const PARAMETERS: Partial<Record<keyof typeof BATCH_STATEMENTS, string>> = {
    lease: `'node_1'`,
    leaseForUpdate: `'node_1'`,
    readEnds: `array['exec_1', 'exec_2']`,
    buckets: `array['owner_1', 'owner_2'], array['executions', 'anonymous']`,
    runtimes: `array['rt_1', 'rt_2']`,
    addCalls: `'[]', array['exec_1', 'exec_2'], 'node_1'`,
    end: `'[]', array['exec_1', 'exec_2'], 'node_1'`,
    setLastSeen: `'[]', array['rt_1', 'rt_2']`,
  }
  /** The keys, and the column that must be given of each. */
  const KEYS = new Map([
    ['nodes_pkey', 'node_id'],
    ['executions_execution_id_key', 'execution_id'],
    ['allowances_pkey', 'owner_id'],
    ['runtimes_runtime_id_key', 'runtime_id'],
    ['owners_pkey', 'owner_id'],
    ['executions_to_reconcile', 'owner_id'],
  ])

  /** Scans of a plan that read more of a table than the rows of some keys. */
  function scansWithoutKey(plan: readonly string[]): string[] {
    return plan.flatMap((line, index) => {
      const key = / (?:using|Bitmap Index Scan on) (\w+) /.exec(line)?.[1]
      if (!/ Scan /.test(line) || /(Function|Subquery|Bitmap Heap) Scan/.test(line)) return []
      const column = KEYS.get(key ?? '')
      const condition = plan[index + 1] ?? ''
      return column && /Index Cond/.test(condition) && condition.includes(`(${column} =`) ? [] : [line + condition]
    })
  }

  /** The same of the plans that PostgreSQL keeps. */
  async function scans(db: Kysely<Schema>) {
    const found: string[] = []
    await db.connection().execute(async (one) => {
      await sql.raw('set plan_cache_mode = force_generic_plan').execute(one)
      for (const [name, parameters] of Object.entries(PARAMETERS)) {
        const text = BATCH_STATEMENTS[name as keyof typeof BATCH_STATEMENTS]
        await sql.raw(`prepare plan_${name} as ${text}`).execute(one)
        const { rows } = await sql
          .raw<{ 'QUERY PLAN': string }>(`explain execute plan_${name}(${parameters})`)
          .execute(one)
        await sql.raw(`deallocate plan_${name}`).execute(one)
        found.push(...scansWithoutKey(rows.map((row) => row['QUERY PLAN'])).map((scan) => `${name}: ${scan}`))
      }
      await sql.raw('reset plan_cache_mode').execute(one)
    })
    return found
  }

  test('find their rows by a key, with tables of any size and statistics', async () => {
    const { db: migrated, location } = await open(engine)
    const { db } = openPostgres({ url: location, onError: () => undefined })
    onTestFinished(() => db.destroy())
    for (const table of ['executions', 'runtimes', 'allowances', 'owners', 'nodes']) {
      await sql.raw(`alter table ${table} set (autovacuum_enabled = false)`).execute(migrated)
    }
    expect(await scans(db)).toEqual([])
    for (const count of [30, 20_000]) {
      await fill(migrated, count)
      expect(await scans(db), `${count} rows`).toEqual([])
    }
  })

  async function fill(db: Kysely<Schema>, count: number) {
    await sql
      .raw(
        `insert into executions (owner_id, execution_id, runtime_id, project_id, kind, status, message_shape, started_at,
          completed_at, node_id)
        select 'owner_' || i % 50, 'exec_' || ${count} || '_' || i, 'rt_' || i % 100, 'proj_1', 'broker',
          case when i % 10 = 0 then 'running' else 'completed' end, '[]', i, case when i % 10 = 0 then null else i end,
          'node_1' from generate_series(1, ${count}) as i`,
      )
      .execute(db)
    await sql
      .raw(
        `insert into runtimes (owner_id, runtime_id, project_id, name, version, allowed_origins, secret_sealed, revision,
          created_at, updated_at)
        select 'owner_' || i % 50, 'rt_' || ${count} || '_' || i, 'proj_1', 'x', '1.0.0', '[]', 'x', 1, i, i
        from generate_series(1, ${count}) as i`,
      )
      .execute(db)
    await sql
      .raw(
        `insert into owners (owner_id, email, tier, created_at)
        select 'owner_${count}_' || i, 'a${count}_' || i || '@example.com', 'free', 1
        from generate_series(1, ${count}) as i`,
      )
      .execute(db)
    await sql
      .raw(
        `insert into allowances (owner_id, bucket, full_at) select 'owner_' || ${count} || '_' || i, 'executions', 1
        from generate_series(1, ${count}) as i`,
      )
      .execute(db)
  }
})
