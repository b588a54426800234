import { sql } from 'kysely'
import type { Db } from '../store/schema.ts'
import { StorageBudget } from '../usage/storage-budget.ts'
import { createBatchStore } from './batch-store.ts'
import { ADMISSION_COLUMNS } from './column-rules.js'
import type { StoredLease } from './lease-store.ts'
import { interruptedEnd, settlementWithinBudget } from './settlement-rules.ts'

/** A literal, so that the partial indexes of running and of ended executions are used. */
export const RUNNING_STATUS = sql.lit('running' as const)

// Their calls are read and written as one text, and each may hold large payloads.
const ROWS_AT_ONCE = 100

export interface TakeOver {
  now: number
  nodeId: string
  /** Its own executions that started earlier are failed, too. Null: none are. */
  overdueBefore: number | null
  /** Nodes taken for dead, unless they have renewed their lease since it was read. */
  deadNodes: readonly StoredLease[]
}

/** Fails every execution that no node runs, and returns their number. */
export async function takeOverExecutions(db: Db, { now, deadNodes, ...filter }: TakeOver): Promise<number> {
  // First: from then on these nodes write nothing, so that the rows read next are final.
  for (const { nodeId, until } of deadNodes) {
    await db.deleteFrom('nodes').where('node_id', '=', nodeId).where('lease_until', '=', until).execute()
  }
  const write = createBatchStore(db)
  const storage = new StorageBudget()
  let count = 0
  for (;;) {
    const abandoned = await readAbandoned(db, filter)
    for (const { owner_id, tier, storedBytes } of abandoned) {
      if (tier !== null && storedBytes !== null) storage.note(owner_id, { tier, storedBytes })
    }
    for (const nodeId of new Set(abandoned.map(({ node_id }) => node_id ?? ''))) {
      const rows = abandoned.filter(({ node_id }) => node_id === nodeId)
      const settlements = rows.map((row) => settlementWithinBudget(storage, row, interruptedEnd(row, now)))
      const context = { nodeId, now, isRepeat: false, isTakeOver: true, beforeCommit: () => {} }
      const outcomes = await write({ admissions: [], calls: [], settlements }, context)
      count += outcomes.settlements.filter((isEnded) => isEnded).length
    }
    if (abandoned.length < ROWS_AT_ONCE) return count
  }
}

function readAbandoned(db: Db, { nodeId, overdueBefore }: Pick<TakeOver, 'nodeId' | 'overdueBefore'>) {
  return db
    .selectFrom('executions')
    .select([...ADMISSION_COLUMNS, 'node_id'])
    .select((eb) => {
      const owner = eb.selectFrom('owners').whereRef('owners.owner_id', '=', 'executions.owner_id')
      return [owner.select('tier').as('tier'), owner.select('stored_bytes').as('storedBytes')]
    })
    .where('status', '=', RUNNING_STATUS)
    .where((where) =>
      where.or([
        where('node_id', 'not in', where.selectFrom('nodes').select('nodes.node_id')),
        where.and([where('node_id', '=', nodeId), where('started_at', '<', overdueBefore ?? 0)]),
      ]),
    )
    .orderBy('execution_id')
    .limit(ROWS_AT_ONCE)
    .execute()
}
