import type { Tier } from '@svc/contract'
import { sql } from 'kysely'
import type { Db } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { GRAIN_MS } from '../usage/rollup-rules.ts'
import { SQL_BYTES } from '../usage/stored-bytes-rules.ts'
import { addStoredBytes } from '../usage/stored-bytes-store.ts'
import { RUNTIME_PROJECT } from './history-store.ts'
import { RUNNING_STATUS } from './take-over-store.ts'

const ENDED = ['completed', 'failed'] as const
type Ended = (typeof ENDED)[number]

const OWNERS_PER_QUERY = 200
const NEVER = Number.POSITIVE_INFINITY

export interface OldestOfOwner {
  ownerId: string
  tier: Tier
  /** The start of the first ended execution; infinite where there is none. */
  startedAt: number
  /** The first hour of the roll-ups; infinite where there is none. */
  countedAt: number
}

/** Every owner, in the order of their ids, with the oldest rows of each. */
export async function* eachOwner(db: Db): AsyncGenerator<OldestOfOwner> {
  for (let after = ''; ; ) {
    const rows = await ownersAfter(db, after).execute()
    for (const { owner_id: ownerId, tier, completed, failed, counted } of rows) {
      const [startedAt, countedAt] = [Math.min(completed ?? NEVER, failed ?? NEVER), counted ?? NEVER]
      yield { ownerId, tier, startedAt, countedAt }
    }
    const last = rows.at(-1)
    if (!last || rows.length < OWNERS_PER_QUERY) return
    after = last.owner_id
  }
}

function ownersAfter(db: Db, after: string) {
  return db
    .selectFrom('owners')
    .select((eb) => {
      const oldest = (status: Ended) =>
        eb
          .selectFrom('executions')
          .select('started_at')
          .whereRef('executions.owner_id', '=', 'owners.owner_id')
          .where('executions.status', '=', sql.lit(status))
          .where('executions.status', '<>', RUNNING_STATUS)
          .orderBy('started_at')
          .limit(1)
      const counted = eb
        .selectFrom('execution_rollups')
        .select('at')
        .whereRef('execution_rollups.owner_id', '=', 'owners.owner_id')
        .where('grain', '=', 'hour')
        .orderBy('at')
        .limit(1)
      return [oldest('completed').as('completed'), oldest('failed').as('failed'), counted.as('counted')]
    })
    .select(['owner_id', 'tier'])
    .where('owner_id', '>', after)
    .where('deleted_at', 'is', null)
    .orderBy('owner_id')
    .limit(OWNERS_PER_QUERY)
}

export async function deleteRollups(db: Db, ownerId: string, before: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const table of ['execution_rollups', 'call_rollups'] as const) {
      for (const grain of ['hour', 'day'] as const) {
        const ofGrain = tx.deleteFrom(table).where('owner_id', '=', ownerId).where('grain', '=', grain)
        await ofGrain.where('at', '<=', before - GRAIN_MS[grain]).execute()
      }
    }
  })
}

/** The most executions, and calls of theirs, that one transaction deletes. */
const MAX_ROWS = 500
const MAX_CALLS = 2_000

export interface Deleted {
  executions: number
  bytes: number
}

export async function countEnded(db: Db, ownerId: string, startedBefore: number): Promise<Deleted> {
  const row = await db
    .selectFrom('executions')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      eb.fn.sum<number | null>(sql<number>`${sql.raw(SQL_BYTES.executions)}`).as('bytes'),
    ])
    .where('owner_id', '=', ownerId)
    .where('status', '<>', RUNNING_STATUS)
    .where('started_at', '<', startedBefore)
    .executeTakeFirstOrThrow()
  return { executions: Number(row.count), bytes: row.bytes ?? 0 }
}

/** Ended executions of an owner, or of one runtime of theirs. */
interface EndedFilter {
  ownerId: string
  runtimeId?: string
  startedBefore: number
}

/** Deletes some of an owner's ended executions in one transaction. None: none is left, or others delete them. */
export function deleteSomeEnded(db: Db, filter: EndedFilter): Promise<Deleted> {
  const { ownerId } = filter
  return inTransaction(db, async (tx) => {
    for (const status of ENDED) {
      const executionIds = await lockSome(tx, filter, status)
      if (executionIds.length === 0) continue
      let bytes = 0
      for (const table of ['executions', 'approvals'] as const) {
        const deleted = await tx
          .deleteFrom(table)
          .where('owner_id', '=', ownerId)
          .where('execution_id', 'in', executionIds)
          .returning(sql<number>`${sql.raw(SQL_BYTES[table])}`.as('bytes'))
          .execute()
        bytes = deleted.reduce((sum, row) => sum + row.bytes, bytes)
      }
      await addStoredBytes(tx, [{ ownerId, bytes: -bytes }])
      return { executions: executionIds.length, bytes }
    }
    return { executions: 0, bytes: 0 }
  })
}

/** Locks some executions: the oldest ones of an owner, any of a runtime, whose index has another order. */
async function lockSome(tx: Tx, { ownerId, runtimeId, startedBefore }: EndedFilter, status: Ended): Promise<string[]> {
  const ended = tx
    .selectFrom('executions')
    .select(['execution_id', 'call_count'])
    .where('owner_id', '=', ownerId)
    .where('status', '=', sql.lit(status))
    .where('status', '<>', RUNNING_STATUS)
  const ordered =
    runtimeId === undefined
      ? ended.where('started_at', '<', startedBefore).orderBy('started_at').orderBy('execution_id')
      : ended.where(sql<boolean>`${RUNTIME_PROJECT} > ${`${runtimeId} `} and ${RUNTIME_PROJECT} < ${`${runtimeId}!`}`)
  const rows = await ordered.limit(MAX_ROWS).forUpdate().skipLocked().execute()
  let calls = 0
  const few = rows.filter(({ call_count }, index) => {
    calls += call_count
    return index === 0 || calls <= MAX_CALLS
  })
  return few.map((row) => row.execution_id)
}
