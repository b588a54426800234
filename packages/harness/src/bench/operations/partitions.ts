import pg from 'pg'
import { createOwner } from '../../support/owner.ts'
import { startPostgresCluster } from '../../support/postgres-cluster.ts'
import { atMost, type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { startServer } from '../../support/server.ts'
import { quantile, rounded } from '../../support/statistics.ts'
import { createPostgresStore } from '../../support/store.ts'
import { fillHistory } from '../growth/fill.ts'
import { planHistory } from '../growth/history-plan.ts'

const DAY_MS = 86_400_000
const PARTITION_MS = 30 * DAY_MS
/** As the server's sweep deletes. */
const ROWS_PER_DELETE = 500
const MOST_DELETES = 60
const LOOK_UPS = 400

/** What it costs to be rid of a month: deleting rows, or detaching a partition that holds them. */
export const partitions: Scenario = {
  name: 'partitions',
  title: 'a month of executions deleted row by row, against a month that is a partition of its own',
  engines: ['postgres'],
  tables: ['removal'],
  async run(context) {
    const cluster = await startPostgresCluster({ shared_buffers: '512MB' })
    context.onEnd(cluster.remove)
    const { url, beginsAt } = await fillStore(context, cluster.url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    context.onEnd(() => client.end())
    await partition(client, beginsAt)
    const whole = await timeLookUps(client, 'executions', context)
    const parted = await timeLookUps(client, 'executions_parted', context)
    const deleted = await deleteRows(client, beginsAt + PARTITION_MS)
    const dropped = await dropPartition(client)
    const cells = (lookUpMs: number, { rows, ms, walBytes }: Removal) =>
      [rounded(lookUpMs), rows.toLocaleString('en'), rounded(ms), rounded(walBytes / rows)] as const
    context.table({
      name: 'removal',
      head: ['executions in 90 days', 'a look-up by id, p50 ms', 'executions removed', 'ms', 'bytes of log each'],
      rows: [
        ['one table, rows deleted with their calls', ...cells(whole, deleted)],
        ['three partitions, one dropped, without calls', ...cells(parted, dropped)],
      ],
    })
    return check({ deleted, dropped })
  },
}

interface Removal {
  rows: number
  /** Rows that were to go and are still there. */
  left: number
  ms: number
  walBytes: number
}

function check({ deleted, dropped }: { deleted: Removal; dropped: Removal }): Check[] {
  return [
    exactly('rows left in what was deleted', deleted.left, 0),
    exactly('rows left in the month that was dropped', dropped.left, 0),
    atMost('time for an execution, dropped to deleted', dropped.ms / dropped.rows / (deleted.ms / deleted.rows), 0.1),
  ]
}

async function fillStore(context: ScenarioContext, server: string): Promise<{ url: string; beginsAt: number }> {
  const store = await createPostgresStore(server)
  const options = { store, serverFolder: context.serverFolder, env: context.env }
  const owner = await createOwner(options, 'big@example.com', 'enterprise')
  // The schema is there once a server has been.
  const server_ = await startServer(options)
  server_.kill('SIGTERM')
  await server_.ended
  const big = {
    ownerId: owner.ownerId,
    projectId: 'proj_big',
    runtimes: [{ runtimeId: 'rt_big1', capability: 'orders-find' }],
  }
  const plan = planHistory(context.random.fork(), big, { input: 250, output: 550 })
  const endsAt = Date.now()
  await fillHistory(store, { count: context.count(300_000, 3_000), plan, endsAt })
  return { url: store.location, beginsAt: endsAt - plan.lengthMs }
}

/** The same rows in three partitions. A key of a partitioned table must hold the column that parts it. */
async function partition(client: pg.Client, beginsAt: number): Promise<void> {
  await client.query('create table executions_parted (like executions) partition by range (started_at)')
  for (const [index, name] of ['first', 'second', 'third'].entries()) {
    const from = index === 0 ? 'minvalue' : beginsAt + index * PARTITION_MS
    const to = index === 2 ? 'maxvalue' : beginsAt + (index + 1) * PARTITION_MS
    await client.query(
      `create table executions_${name} partition of executions_parted for values from (${from}) to (${to})`,
    )
  }
  await client.query('insert into executions_parted select * from executions')
  await client.query('alter table executions_parted add primary key (owner_id, execution_id, started_at)')
  await client.query('create index on executions_parted (owner_id, status, started_at desc, execution_id desc)')
  await client.query('vacuum analyze executions_parted')
}

async function timeLookUps(client: pg.Client, table: string, { count }: ScenarioContext): Promise<number> {
  const { rows } = await client.query<{ owner_id: string; execution_id: string }>(
    `select owner_id, execution_id from executions tablesample system (5) limit $1`,
    [count(LOOK_UPS, 20)],
  )
  const taken: number[] = []
  for (const { owner_id, execution_id } of rows) {
    const begun = performance.now()
    await client.query(`select * from ${table} where owner_id = $1 and execution_id = $2`, [owner_id, execution_id])
    taken.push(performance.now() - begun)
  }
  return quantile(taken, 0.5)
}

async function deleteRows(client: pg.Client, before: number): Promise<Removal> {
  const ids: string[] = []
  const removal = await removing(client, async () => {
    for (let turn = 0; turn < MOST_DELETES; turn += 1) {
      const { rows } = await client.query<{ execution_id: string }>(
        `with oldest as (
           select owner_id, execution_id from executions
           where owner_id = (select owner_id from executions where started_at < $1 limit 1)
             and status = 'completed' and started_at < $1
           order by started_at, execution_id limit ${ROWS_PER_DELETE} for update skip locked)
         delete from executions using oldest
         where executions.owner_id = oldest.owner_id and executions.execution_id = oldest.execution_id
         returning executions.execution_id`,
        [before],
      )
      if (rows.length === 0) break
      ids.push(...rows.map((row) => row.execution_id))
    }
    return ids.length
  })
  const left = await client.query('select 1 from executions where execution_id = any($1)', [ids])
  return { ...removal, left: left.rows.length }
}

async function dropPartition(client: pg.Client): Promise<Removal> {
  const { rows } = await client.query<{ count: number }>('select count(*)::float8 as count from executions_first')
  const removal = await removing(client, async () => {
    await client.query('alter table executions_parted detach partition executions_first concurrently')
    await client.query('drop table executions_first')
    return rows[0]?.count ?? 0
  })
  const left = await client.query(`select to_regclass('executions_first') as there`)
  return { ...removal, left: left.rows.filter((row) => row.there !== null).length }
}

async function removing(client: pg.Client, remove: () => Promise<number>): Promise<Omit<Removal, 'left'>> {
  const before = await walPosition(client)
  const begun = performance.now()
  const rows = await remove()
  return { rows, ms: performance.now() - begun, walBytes: (await walPosition(client)) - before }
}

async function walPosition(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ at: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at`,
  )
  return rows[0]?.at ?? Number.NaN
}
