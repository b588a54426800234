import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { deleteSomeEnded } from '../executions/retention-store.ts'
import { isPostgres } from '../store/recordset.ts'
import { firstRow, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'
import { SQL_BYTES } from '../usage/stored-bytes-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import { type Place, retireSome } from './store.ts'

/** Deletes some rows in one transaction, and returns how many; 0 where none is left, or other replicas delete them. */
export type Step = () => Promise<number>

const ROWS = 500
// Each may be a megabyte.
const MANIFESTS = 20
const ROLLUP = ['owner_id', 'grain', 'at', 'span', 'runtime_id', 'project_id']
const DELIVERIES_OF = (ownerId: string) =>
  sql<SqlBool>`webhook_id in (select webhook_id from webhooks where owner_id = ${ownerId})`

/** What a deleted runtime has left. Usage of the present hour, from `hour` on, stays until the hour is over. */
export function runtimeSteps(
  db: Db,
  { ownerId, runtimeId }: Place,
  { hour, isLast }: { hour: number; isLast: boolean },
): Step[] {
  const own = sql<SqlBool>`owner_id = ${ownerId} and runtime_id = ${runtimeId}`
  const counted = sql<SqlBool>`${own} and (grain = 'day' or at < ${hour})`
  const rollups: Step[] = [
    () => deleteSome(db, { ownerId, table: 'execution_rollups', key: ROLLUP, where: counted }),
    () => deleteSome(db, { ownerId, table: 'call_rollups', key: [...ROLLUP, 'capability'], where: counted }),
  ]
  return [
    async () => (await deleteSomeEnded(db, { ownerId, runtimeId, startedBefore: Number.MAX_SAFE_INTEGER })).executions,
    () => deleteSome(db, { ownerId, table: 'approvals', key: ['approval_id'], where: own }),
    () => deleteSome(db, { ownerId, table: 'deployments', key: ['deployment_id'], where: own, limit: MANIFESTS }),
    () => {
      const where = sql<SqlBool>`${DELIVERIES_OF(ownerId)} and runtime_id = ${runtimeId}`
      return deleteSome(db, { ownerId, table: 'webhook_deliveries', key: ['id'], where })
    },
    () => deleteSome(db, { ownerId, table: 'account_events', key: ['id'], where: own }),
    // No index leads by runtime: these read all rows of the account, and lists leave them out meanwhile.
    ...(isLast ? rollups : []),
  ]
}

/** What a deleted account has left, in an order that leaves nothing without what it refers to. */
export function accountSteps(db: Db, ownerId: string, now: number): Step[] {
  const where = sql<SqlBool>`owner_id = ${ownerId}`
  const all = (table: keyof Schema, key: readonly string[]) => () => deleteSome(db, { ownerId, table, key, where })
  return [
    () => retireSome(db, ownerId, now),
    async () => (await deleteSomeEnded(db, { ownerId, startedBefore: Number.MAX_SAFE_INTEGER })).executions,
    all('approvals', ['approval_id']),
    () => deleteSome(db, { ownerId, table: 'deployments', key: ['deployment_id'], where, limit: MANIFESTS }),
    () => deleteSome(db, { ownerId, table: 'webhook_deliveries', key: ['id'], where: DELIVERIES_OF(ownerId) }),
    all('webhooks', ['webhook_id']),
    all('account_events', ['id']),
    all('execution_rollups', ROLLUP),
    all('call_rollups', [...ROLLUP, 'capability']),
    all('idempotency_keys', ['key_hash']),
    all('credentials', ['credential_id']),
    all('auth_sessions', ['id']),
    all('password_resets', ['member_id']),
    all('second_factors', ['member_id']),
    all('recovery_codes', ['member_id', 'code_hash']),
    all('members', ['member_id']),
    all('invitations', ['invitation_id']),
    all('device_logins', ['device_hash']),
    all('known_networks', ['owner_id', 'network']),
    all('quota_alerts', ['owner_id', 'bucket']),
    all('projects', ['project_id']),
    all('allowances', ['owner_id', 'bucket']),
    // What was paid is kept for the books, with the provider's ids.
    () => {
      const unpaid = sql<SqlBool>`${where} and paid_at is null`
      return deleteSome(db, { ownerId, table: 'checkouts', key: ['checkout_id'], where: unpaid })
    },
  ]
}

interface Doomed {
  ownerId: string
  table: keyof Schema
  /** Columns that name a row. */
  key: readonly string[]
  where: RawBuilder<SqlBool>
  limit?: number
}

function deleteSome(db: Db, { ownerId, table, key, where, limit = ROWS }: Doomed): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const unlocked = isPostgres(db) ? sql`for update skip locked` : sql``
  const bytes = table === 'approvals' || table === 'deployments' ? sql.raw(SQL_BYTES[table]) : sql`0`
  const some = sql`select ${columns} from ${sql.table(table)} where ${where} limit ${sql.lit(limit)} ${unlocked}`
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ bytes: number }>`delete from ${sql.table(table)} where ${where}
      and (${columns}) in (${some})
      returning ${bytes} as bytes`.execute(tx)
    const total = rows.reduce((sum, row) => sum + row.bytes, 0)
    if (total > 0) await addStoredBytes(tx, [{ ownerId, bytes: -total }])
    return rows.length
  })
}

/** Whether executions of an account, or of one of its runtimes, have not ended. */
export async function hasRunning(db: Db, ownerId: string, runtimeId?: string): Promise<boolean> {
  const place = { owner_id: ownerId, ...(runtimeId !== undefined && { runtime_id: runtimeId }) }
  const own = db.selectFrom('executions').select('execution_id').where(matching('executions', place)).limit(1)
  // A literal: the index of running executions is partial.
  return (await firstRow(own.where('status', '=', sql.lit('running' as const)))) !== null
}

/** A deleted runtime of which rows may be left. */
export interface Retired extends Place {
  deletedAt: number
}

const PAGE = 100

async function* inPages<Row>(first: Row, readAfter: (last: Row) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let last: Row | undefined = first; last !== undefined; ) {
    const rows: Row[] = await readAfter(last)
    yield* rows
    last = rows.length < PAGE ? undefined : rows.at(-1)
  }
}

/** Every deleted runtime of which rows may be left. */
export function eachRetired(db: Db): AsyncGenerator<Retired> {
  return inPages({ ownerId: '', runtimeId: '', deletedAt: 0 }, ({ ownerId, runtimeId }) =>
    db
      .selectFrom('retired_runtimes')
      .select(['owner_id as ownerId', 'runtime_id as runtimeId', 'deleted_at as deletedAt'])
      .where('runtime_id', 'is not', null)
      .where(sql<boolean>`(owner_id, runtime_id) > (${ownerId}, ${runtimeId})`)
      .orderBy('owner_id')
      .orderBy('runtime_id')
      .limit(PAGE)
      .$castTo<Retired>()
      .execute(),
  )
}

/** An account that was deleted and is not gone yet. */
export interface DeletedAccount {
  ownerId: string
  deletedAt: number
}

/** Every such account, the first to be deleted first. */
export function eachDeletedAccount(db: Db): AsyncGenerator<DeletedAccount> {
  return inPages({ ownerId: '', deletedAt: 0 }, ({ ownerId, deletedAt }) =>
    db
      .selectFrom('owners')
      .select(['owner_id as ownerId', 'deleted_at as deletedAt'])
      .where('deleted_at', 'is not', null)
      .where(sql<boolean>`(deleted_at, owner_id) > (${deletedAt}, ${ownerId})`)
      .orderBy('deleted_at')
      .orderBy('owner_id')
      .limit(PAGE)
      .$castTo<DeletedAccount>()
      .execute(),
  )
}

/** Nothing is left of the runtime: its id is kept as a hash alone. */
export async function forgetRuntime(db: Db, { ownerId, runtimeId }: Place): Promise<void> {
  const retired = matching('retired_runtimes', { owner_id: ownerId, runtime_id: runtimeId })
  await db.updateTable('retired_runtimes').set({ runtime_id: null }).where(retired).execute()
}

/** Nothing is left of the account but payments: hashes of its runtimes' ids stay, without a name to them. */
export function forgetAccount(db: Db, ownerId: string): Promise<void> {
  return inTransaction(db, async (tx) => {
    const nobody = { owner_id: null, runtime_id: null }
    await tx.updateTable('retired_runtimes').set(nobody).where('owner_id', '=', ownerId).execute()
    await tx.updateTable('checkouts').set({ success_url: '', cancel_url: '' }).where('owner_id', '=', ownerId).execute()
    await tx.deleteFrom('owners').where('owner_id', '=', ownerId).where('deleted_at', 'is not', null).execute()
  })
}
