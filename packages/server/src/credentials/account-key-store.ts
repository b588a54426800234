import type { Kysely, Selectable } from 'kysely'
import type { PageStart } from '../database/page.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { MAX_ACCOUNT_KEYS } from './rules.ts'
import { insertCredential, type NewCredential } from './store.ts'

const SHOWN = ['credential_id', 'name', 'prefix', 'created_at', 'revoked_at'] as const

/** What is shown of an account key. */
export type AccountKeyRow = Pick<Selectable<Schema['credentials']>, (typeof SHOWN)[number]>

/** Account keys of this owner, revoked ones too, newest first, `limit` of them after the cursor. */
export async function listAccountKeys(
  db: Kysely<Schema>,
  ownerId: string,
  { limit, after }: { limit: number; after: PageStart | null },
): Promise<AccountKeyRow[]> {
  let query = db
    .selectFrom('credentials')
    .select(SHOWN)
    .where('owner_id', '=', ownerId)
    .where('kind', '=', 'account')
    .orderBy('created_at', 'desc')
    .orderBy('credential_id', 'desc')
    .limit(limit)
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'credential_id'), '<', tuple(after.at, after.id)),
    )
  }
  return query.execute()
}

/** Ends an account key at once; one that was revoked before stays as it is. Null when this owner has no such key. */
export async function revokeOwnKey(
  db: Kysely<Schema>,
  ownerId: string,
  { keyId, now }: { keyId: string; now: number },
): Promise<AccountKeyRow | null> {
  const row = await db
    .updateTable('credentials')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('owner_id', '=', ownerId)
    .where('credential_id', '=', keyId)
    .where('kind', '=', 'account')
    .returning(SHOWN)
    .executeTakeFirst()
  return row ?? null
}

/** Adds a key to an account; see {@link addAccountKey}. */
export function insertAccountKey(db: Kysely<Schema>, key: NewCredential): Promise<boolean> {
  return inTransaction(db, (tx) => addAccountKey(tx, key))
}

/**
 * Adds a key to an account; false where it has as many as it may. The account's row is locked, so that any number at once
 * cannot pass the bound. Of revoked keys as many are kept to be shown.
 */
export async function addAccountKey(tx: Tx, key: NewCredential): Promise<boolean> {
  await tx
    .selectFrom('owners')
    .select('owner_id')
    .where('owner_id', '=', key.owner_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const { count } = await keysOf(tx, key.owner_id)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_ACCOUNT_KEYS) return false
  const shown = keysOf(tx, key.owner_id)
    .select('credential_id')
    .where('revoked_at', 'is not', null)
    .orderBy('revoked_at', 'desc')
    .orderBy('credential_id', 'desc')
    .limit(MAX_ACCOUNT_KEYS)
  await tx
    .deleteFrom('credentials')
    .where('owner_id', '=', key.owner_id)
    .where('kind', '=', 'account')
    .where('revoked_at', 'is not', null)
    .where('credential_id', 'not in', shown)
    .execute()
  await insertCredential(tx, key)
  return true
}

function keysOf(tx: Tx, ownerId: string) {
  return tx.selectFrom('credentials').where('owner_id', '=', ownerId).where('kind', '=', 'account')
}
