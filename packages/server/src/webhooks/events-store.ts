import { type PageRequest, pageBy } from '../store/page.ts'
import { insertRecordset } from '../store/recordset.ts'
import type { Db } from '../store/schema.ts'
import type { Tx } from '../store/transaction.ts'
import { type AccountEvent, FREQUENT_TYPES, MAX_EVENTS, MAX_FREQUENT_EVENTS } from './rules.ts'

const COLUMNS = ['event_id', 'owner_id', 'runtime_id', 'type', 'data', 'created_at'] as const

/** Stores events of one account, of which the latest are kept. */
export async function keepEvents(tx: Tx, newId: () => string, ownerId: string, events: readonly AccountEvent[]) {
  const rows = events.slice(-MAX_EVENTS).map(({ runtimeId, type, data, at }) => ({
    event_id: newId(),
    owner_id: ownerId,
    runtime_id: runtimeId ?? '',
    type,
    data: JSON.stringify(data),
    created_at: at,
  }))
  await insertRecordset(tx, { of: 'account_events', columns: COLUMNS }, rows)
  const own = tx.selectFrom('account_events').where('owner_id', '=', ownerId)
  const oldestKept = (keep: number, kept = own) => {
    const newestFirst = kept.select('id').orderBy('id', 'desc')
    return newestFirst.limit(1).offset(keep - 1)
  }
  const deleted = tx.deleteFrom('account_events').where('owner_id', '=', ownerId)
  for (const type of FREQUENT_TYPES) {
    if (!events.some((event) => event.type === type)) continue
    const kept = oldestKept(MAX_FREQUENT_EVENTS, own.where('type', '=', type))
    await deleted.where('type', '=', type).where('id', '<', kept).execute()
  }
  await deleted.where('id', '<', oldestKept(MAX_EVENTS)).execute()
}

/** A page of an account's events, newest first, and the row after it. */
export function listEvents(db: Db, ownerId: string, page: PageRequest) {
  const own = db.selectFrom('account_events').selectAll().where('owner_id', '=', ownerId)
  return own.$call(pageBy('id', 'event_id', page)).execute()
}
