import { Kysely, Migrator, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { findPassword } from '../../src/accounts/password-store.ts'
import { findSession } from '../../src/accounts/session-store.ts'
import { findOwnerByKey } from '../../src/accounts/store.ts'
import { countRecoveryCodes, findSecondFactor } from '../../src/accounts/two-factor-store.ts'
import { traceOf } from '../../src/executions/history.ts'
import { listExecutions } from '../../src/executions/history-store.ts'
import { takeOverExecutions } from '../../src/executions/take-over-store.ts'
import { type DatabaseOptions, openDatabase } from '../../src/store/database.ts'
import { migrationsOf } from '../../src/store/migrations.ts'
import { openPostgres } from '../../src/store/postgres/pool.ts'
import type { Schema } from '../../src/store/schema.ts'
import { createSqliteDialect } from '../../src/store/sqlite/driver.ts'
import { usageOfHour } from '../../src/usage/hourly-usage-store.ts'
import { listWaiting } from '../../src/usage/journal-store.ts'
import { recountStoredBytes } from '../../src/usage/recount-store.ts'
import { createEmptyTestPlace, describeEngines } from '../support/engines.ts'

/** The database as a release left it that knew these migrations, with what the statements write. */
async function leave(options: DatabaseOptions, names: readonly string[], statements: readonly string[]): Promise<void> {
  const db =
    options.engine === 'postgres'
      ? openPostgres(options).db
      : new Kysely<Schema>({ dialect: createSqliteDialect(options) })
  const known = Object.entries(migrationsOf(options.engine)).filter(([name]) => names.includes(name))
  const provider = { getMigrations: async () => Object.fromEntries(known) }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw error
  for (const statement of statements) await sql.raw(statement).execute(db)
  await db.destroy()
}

describeEngines('a database of the first release', (engine) => {
  test('is migrated with its usage counters, by hour and by day', async () => {
    const place = await createEmptyTestPlace(engine)
    const [first, second, nextDay] = [1_772_362_800_000, 1_772_366_400_000, 1_772_409_600_000]
    const usage = [
      `'owner_1', ${first}, 'rt_1', 'proj_1', 5, 3, 2, 1, 4, 3000000000, 30, 900`,
      `'owner_1', ${second}, 'rt_1', 'proj_1', 2, 2, 0, 0, 1, 3000000000, 1, 90`,
      `'owner_1', ${nextDay}, 'rt_1', 'proj_2', 1, 1, 0, 0, 0, 1, 1, 9`,
    ]
    const statements = usage.map((values) => `insert into usage_hours values (${values})`)
    await leave(place.options, ['0001-initial'], statements)
    const { db, close } = await openDatabase(place.options)
    onTestFinished(() => close())
    const rows = await db
      .selectFrom('execution_rollups')
      .select(['grain', 'at', 'project_id', 'span', 'executions', 'failed', 'input_tokens', 'duration_ms', 'b0'])
      .orderBy('grain')
      .orderBy('at')
      .execute()
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['day', Date.parse('2026-03-01'), 'proj_1', 0, 7, 2, 6_000_000_000, 990, 0],
      ['day', Date.parse('2026-03-02'), 'proj_2', 0, 1, 0, 1, 9, 0],
      ['hour', first, 'proj_1', 0, 5, 2, 3_000_000_000, 900, 0],
      ['hour', second, 'proj_1', 0, 2, 0, 3_000_000_000, 90, 0],
      ['hour', nextDay, 'proj_2', 0, 1, 0, 1, 9, 0],
    ])
  })
})

describeEngines('a database with calls in a table of their own', (engine) => {
  const NOW = Date.parse('2026-03-01T12:00:00Z')
  const EXECUTION =
    'owner_id, execution_id, runtime_id, project_id, kind, status, message_shape, call_count, started_at'
  const CALL =
    'owner_id, execution_id, call_id, ordinal, capability, step, status, input, output, started_at, duration_ms'
  const COUNTS = { isCompleted: true, isAnonymous: true, inputTokens: 3, outputTokens: 1, durationMs: 9 }
  const USAGE = {
    ...{ ownerId: 'owner_1', runtimeId: 'rt_1', projectId: 'proj_1', startedAt: NOW, ...COUNTS },
    calls: [{ capability: 'echo', isCompleted: true, durationMs: 5 }],
  }
  const LEFT = [
    `insert into owners (owner_id, email, tier, created_at, stored_bytes) values ('owner_1', 'a@example.com', 'pro', 1, ${14 + 2 + 11})`,
    `insert into executions (${EXECUTION}, completed_at, duration_ms, finish_reason, node_id)
      values ('owner_1', 'exec_done', 'rt_1', 'proj_1', 'broker', 'completed', '[]', 1, ${NOW}, ${NOW + 9}, 9, 'stop', 'node_1')`,
    `insert into executions (${EXECUTION}, node_id)
      values ('owner_1', 'exec_running', 'rt_1', 'proj_1', 'execute', 'running', '[]', 0, ${NOW}, 'node_1')`,
    `insert into capability_calls (${CALL})
      values ('owner_1', 'exec_done', 'call_1', 0, 'echo', 0, 'completed', '{"a":1}', '"out"', ${NOW}, 5)`,
    `insert into capability_calls (${CALL})
      values ('owner_1', 'exec_running', 'call_2', 0, 'echo', 1, 'dispatched', '{}', null, ${NOW}, null)`,
    `insert into capability_calls (${CALL}, error)
      values ('owner_1', 'exec_done', 'call_3', 1, 'echo', 0, 'failed', '{}', null, ${NOW}, 5, 'said "no"\n\\')`,
    `insert into usage_journal (usages) values ('${JSON.stringify([USAGE])}')`,
  ]

  test('shows ended executions unchanged, and fails those that ran when its server was stopped', async () => {
    const place = await createEmptyTestPlace(engine)
    const before = Object.keys(migrationsOf(engine.name)).filter((name) => name < '0015')
    await leave(place.options, before, LEFT)
    const { db, close } = await openDatabase(place.options)
    onTestFinished(() => close())
    const clock = { now: () => NOW + 1_000 }
    const hour = Math.floor(NOW / 3_600_000) * 3_600_000
    const filter = { from: 0, after: null, limit: 10 }
    const listed = (await listExecutions(db, 'owner_1', filter)).map(({ executionId, status }) => [executionId, status])
    expect(listed).toEqual([
      ['exec_running', 'running'],
      ['exec_done', 'completed'],
    ])
    expect(await usageOfHour(db, 'owner_1', hour)).toMatchObject({
      executions: 1,
      capabilityCalls: 1,
      inputTokens: 3,
      running: { executions: 1 },
    })
    const sweep = { now: clock.now(), nodeId: 'node_2', overdueBefore: null, deadNodes: [] }
    expect([await takeOverExecutions(db, sweep), await takeOverExecutions(db, sweep)]).toEqual([1, 0])
    const owner = { ownerId: 'owner_1', email: 'a@example.com', tier: 'pro' as const, createdAt: 1 }
    const reserve = () => undefined
    expect(await traceOf({ db, clock }, owner, { executionId: 'exec_done', reserve })).toMatchObject({
      status: 'completed',
      capabilityCalls: [
        { callId: 'call_1', status: 'completed', input: { a: 1 }, output: 'out', error: null, durationMs: 5 },
        { callId: 'call_3', status: 'failed', input: {}, output: null, error: { message: 'said "no"\n\\' } },
      ],
    })
    expect(await traceOf({ db, clock }, owner, { executionId: 'exec_running', reserve })).toMatchObject({
      status: 'failed',
      capabilityCalls: [
        { callId: 'call_2', status: 'unknown', error: { message: expect.stringContaining('unknown') } },
      ],
    })
    const calls = [{ capability: 'echo' }]
    expect(await listWaiting(db)).toMatchObject([
      { isCompleted: true, calls },
      { isCompleted: false, calls },
    ])
    const { before: known, counted } = (await recountStoredBytes(db, 'owner_1')) ?? {}
    expect(counted).toBe(known)
  })

  test('counts failed calls in the rows of both schemas', async () => {
    const place = await createEmptyTestPlace(engine)
    const before = Object.keys(migrationsOf(engine.name)).filter((name) => name < '0017')
    const call = (callId: string, status: string) =>
      JSON.stringify({ callId, status, input: { text: 'a\u0000b' }, output: { status: 'failed' } })
    const row = (id: string, status: string, calls: string | null) =>
      `insert into executions (${EXECUTION}, completed_at, finish_reason, node_id, calls)
        values ('owner_1', '${id}', 'rt_1', 'proj_1', 'execute', '${status}', '[]', 2, ${NOW}, ${NOW}, 'stop', 'node_1',
          ${calls === null ? 'null' : `'${calls}'`})`
    await leave(place.options, before, [
      row('exec_none', 'completed', call('call_1', 'completed')),
      row('exec_some', 'completed', [call('call_1', 'failed'), call('call_2', 'completed')].join(',')),
      row('exec_earlier', 'failed', null),
      `insert into capability_calls (${CALL})
        values ('owner_1', 'exec_earlier', 'call_1', 0, 'echo', 0, 'failed', '{}', null, ${NOW}, 5)`,
    ])
    const { db, close } = await openDatabase(place.options)
    onTestFinished(() => close())
    const rows = await db
      .selectFrom('executions')
      .select(['execution_id', 'failed_calls'])
      .orderBy('execution_id')
      .execute()
    expect(rows.map((one) => [one.execution_id, one.failed_calls])).toEqual([
      ['exec_earlier', 1],
      ['exec_none', 0],
      ['exec_some', 1],
    ])
  })
})

describeEngines('a database from before candidates', (engine) => {
  test('gets the newest deployment below the stable one to roll back to', async () => {
    const place = await createEmptyTestPlace(engine)
    const before = Object.keys(migrationsOf(engine.name)).filter((name) => name < '0042')
    const runtime = (id: string, serving: number | null) =>
      `insert into runtimes (owner_id, runtime_id, project_id, name, version, allowed_origins, secret_sealed, serving_version, created_at, updated_at)
        values ('owner_1', '${id}', 'proj_1', 'Shop', '1', '[]', 'x', ${serving}, 1, 1)`
    const deployment = (id: string, version: number) =>
      `insert into deployments (owner_id, runtime_id, version, deployment_id, manifest, capability_count, deployed_at)
        values ('owner_1', '${id}', ${version}, 'dep_${id}_${version}', '{}', 0, 1)`
    await leave(place.options, before, [
      ...[runtime('rt_many', 5), runtime('rt_one', 1), runtime('rt_none', null)],
      ...[2, 3, 5].map((version) => deployment('rt_many', version)),
      deployment('rt_one', 1),
    ])
    const { db, close } = await openDatabase(place.options)
    onTestFinished(() => close())
    const rows = await db.selectFrom('runtimes').select(['runtime_id', 'previous_version']).execute()
    expect(Object.fromEntries(rows.map((row) => [row.runtime_id, row.previous_version]))).toEqual({
      rt_many: 3,
      rt_one: null,
      rt_none: null,
    })
  })
})

describeEngines('a database whose accounts had one person each', (engine) => {
  test('is migrated to members: password, session, second factor and keys stay', async () => {
    const place = await createEmptyTestPlace(engine)
    const before = Object.keys(migrationsOf(engine.name)).filter((name) => name < '0047')
    const at = "'2026-03-01T12:00:00.000Z'"
    const gone = "'own_gone@deleted.invalid'"
    await leave(place.options, before, [
      "insert into owners (owner_id, email, tier, created_at) values ('own_1', 'ada@example.com', 'pro', 5)",
      `insert into owners (owner_id, email, tier, created_at, deleted_at) values ('own_2', ${gone}, 'free', 6, 7)`,
      `insert into auth_accounts (owner_id, id, account_id, provider_id, password, password_version, created_at, updated_at)
        values ('own_1', 'own_1', 'own_1', 'credential', 'a hash', 3, ${at}, ${at})`,
      `insert into auth_sessions (owner_id, id, token, valid_until, password_version, expires_at, created_at, updated_at)
        values ('own_1', 'ses_1', 'a handle', 9000, 3, ${at}, ${at}, ${at})`,
      `insert into second_factors (owner_id, secret_sealed, confirmed_at) values ('own_1', 'sealed', 8)`,
      `insert into recovery_codes (owner_id, code_hash) values ('own_1', 'a code')`,
      `insert into credentials (owner_id, credential_id, kind, hash, prefix, name, created_at)
        values ('own_1', 'key_1', 'account', 'a key', 'svc_ak_…', 'CI', 5),
          ('own_1', 'key_2', 'account', 'a key of a login', 'svc_ak_…', 'svc on laptop', 5)`,
    ])
    const { db, close } = await openDatabase(place.options)
    onTestFinished(() => close())
    const session = await findSession(db, 'a handle', 10)
    expect(session).toMatchObject({ sessionId: 'ses_1', member: { memberId: 'own_1', role: 'owner' } })
    expect(await findPassword(db, { email: 'ada@example.com' })).toMatchObject({ hash: 'a hash', version: 3 })
    expect(await findSecondFactor(db, 'own_1')).toMatchObject({ secret_sealed: 'sealed', confirmed_at: 8 })
    expect(await countRecoveryCodes(db, 'own_1')).toBe(1)
    expect(await findOwnerByKey(db, ['a key'], 10)).toMatchObject({ role: 'owner', member: null })
    // It ends with its member, as later logins do.
    const login = { role: 'owner', member: { memberId: 'own_1' } }
    expect(await findOwnerByKey(db, ['a key of a login'], 10)).toMatchObject(login)
    expect(await db.selectFrom('members').select('member_id').execute()).toEqual([{ member_id: 'own_1' }])
  })
})
