import { hash } from 'node:crypto'
import { firstRow, matching } from '../store/rows.ts'
import type { Db } from '../store/schema.ts'
import { inTransaction, lockOwner, type Tx } from '../store/transaction.ts'
import { MAX_LEFT, MAX_RETIRED } from './rules.ts'

/** What belongs to one runtime. */
export interface Place {
  ownerId: string
  runtimeId: string
}

type Confirmed = { confirm: string; now: number }

/**
 * Takes a runtime out of service, and its keys with it, in one transaction: from its commit on no replica admits anything for
 * it. A name that is not confirmed is returned, and changes nothing.
 */
export function retireRuntime(
  db: Db,
  { ownerId, runtimeId, confirm, now }: Place & Confirmed,
): Promise<'retired' | 'absent' | 'too many' | { name: string }> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, ownerId)
    const own = matching('runtimes', { owner_id: ownerId, runtime_id: runtimeId })
    const runtime = await firstRow(tx.selectFrom('runtimes').select('name').where(own).forUpdate())
    if (!runtime) return 'absent'
    if (runtime.name !== confirm) return { name: runtime.name }
    if ((await goneRuntimes(tx, ownerId)).length >= MAX_LEFT) return 'too many'
    await takeOut(tx, ownerId, [runtimeId])
    const retired = { id_hash: hashOf(runtimeId), owner_id: ownerId, runtime_id: runtimeId, deleted_at: now }
    await tx.insertInto('retired_runtimes').values(retired).execute()
    await forgetOldest(tx, ownerId)
    return 'retired'
  })
}

const AT_ONCE = 20

/** Takes some runtimes of a deleted account out of service; returns how many. */
export function retireSome(db: Db, ownerId: string, now: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const own = tx.selectFrom('runtimes').select('runtime_id').where('owner_id', '=', ownerId)
    const rows = await own.orderBy('runtime_id').limit(AT_ONCE).forUpdate().execute()
    if (rows.length === 0) return 0
    const runtimeIds = rows.map((row) => row.runtime_id)
    await takeOut(tx, ownerId, runtimeIds)
    const retired = runtimeIds.map((id) => ({ id_hash: hashOf(id), owner_id: ownerId, deleted_at: now }))
    await tx.insertInto('retired_runtimes').values(retired).execute()
    return rows.length
  })
}

async function takeOut(tx: Tx, ownerId: string, runtimeIds: readonly string[]): Promise<void> {
  const buckets = runtimeIds.map((runtimeId) => `deployments:${runtimeId}`)
  await tx.deleteFrom('candidates').where('runtime_id', 'in', runtimeIds).execute()
  for (const table of ['credentials', 'account_events', 'runtimes'] as const) {
    await tx.deleteFrom(table).where('owner_id', '=', ownerId).where('runtime_id', 'in', runtimeIds).execute()
  }
  await tx.deleteFrom('allowances').where('owner_id', '=', ownerId).where('bucket', 'in', buckets).execute()
}

async function forgetOldest(tx: Tx, ownerId: string): Promise<void> {
  const empty = matching('retired_runtimes', { owner_id: ownerId, runtime_id: null })
  const own = tx.selectFrom('retired_runtimes').select('id_hash').where(empty)
  const surplus = own.orderBy('deleted_at', 'desc').orderBy('id_hash').limit(MAX_RETIRED).offset(MAX_RETIRED)
  await tx.deleteFrom('retired_runtimes').where('id_hash', 'in', surplus).execute()
}

/** Whether a deleted runtime had this id: it is not given again, as pages and agents may still call its addresses. */
export async function isRetired(db: Db, runtimeId: string): Promise<boolean> {
  const retired = db.selectFrom('retired_runtimes').select('id_hash as id').where('id_hash', '=', hashOf(runtimeId))
  const ofDeletedAccount = db
    .selectFrom('runtimes')
    .innerJoin('owners', 'owners.owner_id', 'runtimes.owner_id')
    .select('runtime_id as id')
    .where('runtime_id', '=', runtimeId)
    .where('owners.deleted_at', 'is not', null)
  return (await retired.unionAll(ofDeletedAccount).executeTakeFirst()) !== undefined
}

/** The deleted runtimes of an account of which rows may be left. Lists leave them out. */
export async function goneRuntimes(db: Db, ownerId: string): Promise<string[]> {
  const own = db.selectFrom('retired_runtimes').select('runtime_id').where('owner_id', '=', ownerId)
  const rows = await own.where('runtime_id', 'is not', null).execute()
  return rows.flatMap((row) => row.runtime_id ?? [])
}

/** Of these runtimes and accounts, those that were deleted. */
export async function findGone(db: Db, places: readonly Place[]): Promise<Set<string>> {
  const hashes = [...new Set(places.map(({ runtimeId }) => hashOf(runtimeId)))]
  const runtimes = db.selectFrom('retired_runtimes').select('runtime_id as id').where('id_hash', 'in', hashes)
  const ownerIds = [...new Set(places.map(({ ownerId }) => ownerId))]
  const owners = db.selectFrom('owners').select('owner_id as id').where('owner_id', 'in', ownerIds)
  const gone = runtimes.unionAll(owners.where('deleted_at', 'is not', null))
  return new Set((await gone.execute()).flatMap(({ id }) => id ?? []))
}

// The id of a deleted account's runtime must not be found here.
function hashOf(runtimeId: string): string {
  return hash('sha256', `runtime ${runtimeId}`)
}
