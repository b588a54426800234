import type { Connection, Store } from '../support/store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** What the engines write differently. */
const DIALECTS = {
  postgres: {
    numbers: (count: number) => `generate_series(0::bigint, ${count - 1}) as numbers(n)`,
    padded: `lpad(n::text, 10, '0')`,
    begin: `set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set synchronous_commit = off`,
    end: 'vacuum analyze',
    /** The indexes of executions, without those that a key or a constraint makes. */
    indexes: `select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'executions' and indexname not in (select conname from pg_constraint)`,
  },
  sqlite: {
    numbers: (count: number) =>
      `(with recursive counted(n) as (select 0 union all select n + 1 from counted where n < ${count - 1})
        select n from counted) as numbers`,
    padded: `printf('%010d', n)`,
    begin: 'pragma synchronous = off; pragma cache_size = -262144; begin',
    end: 'commit',
    indexes: `select name, sql as definition from sqlite_master
      where type = 'index' and sql is not null and tbl_name = 'executions'`,
  },
}

/**
 * Copies the executions of a store, and what was counted of them, back over so many hours. No server has it open. An
 * execution keeps its minute, so that the counters of an hour can be copied with it.
 */
export function multiplyExecutions(store: Store, { copies, hours }: { copies: number; hours: number }) {
  return store.connect((connection) => multiply(connection, { ...DIALECTS[store.engine], copies, hours }))
}

type Task = (typeof DIALECTS)['sqlite'] & { copies: number; hours: number }

async function multiply({ run, rows }: Connection, { copies, hours, ...dialect }: Task): Promise<void> {
  const { numbers, padded, indexes, begin, end } = dialect
  await run(begin)
  const offset = `(n * ${hours} / ${copies} * ${HOUR_MS})`
  const columnsOf = async (table: string) => Object.keys((await rows(`select * from ${table} limit 1`))[0] ?? {})
  const known = await rows(indexes)
  for (const { name } of known) await run(`drop index ${name}`)
  const columns = await columnsOf('executions')
  const copied = columns.map((column) => {
    if (column === 'execution_id') return `substr(e.execution_id, 1, 5) || ${padded} || substr(e.execution_id, 16)`
    return column.endsWith('ed_at') ? `e.${column} - ${offset}` : `e.${column}`
  })
  await run(`insert into executions (${columns.join()}) select ${copied.join()}
    from executions e cross join ${numbers(copies)} where n > 0`)
  for (const { definition } of known) await run(String(definition))
  for (const table of ['execution_rollups', 'call_rollups']) {
    const all = await columnsOf(table)
    const counters = all.filter((column) => !KEYS.includes(column))
    const keys = all.filter((column) => KEYS.includes(column) && column !== 'grain' && column !== 'at')
    const into = `insert into ${table} (grain, at, ${[...keys, ...counters].join()})`
    const counted = `${keys.join()}, ${counters.map((column) => `sum(${column})`).join()}`
    await run(`create table counted_once as select * from ${table} where grain = 'hour'`)
    await run(`delete from ${table}`)
    await run(`${into} select 'hour', at - ${offset}, ${counted} from counted_once
      cross join ${numbers(copies)} group by at - ${offset}, ${keys.join()}`)
    await run(
      `${into} select 'day', at - at % ${DAY_MS}, ${counted} from ${table} group by at - at % ${DAY_MS}, ${keys.join()}`,
    )
    await run('drop table counted_once')
  }
  await run(end)
}

const KEYS = ['owner_id', 'grain', 'at', 'runtime_id', 'project_id', 'span', 'capability']

/** The id of a copy: the time in it gives way to the number of the copy. */
export function copiedId(id: string, copy: number): string {
  return id.slice(0, 5) + String(copy).padStart(10, '0') + id.slice(15)
}
