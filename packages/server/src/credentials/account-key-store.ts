import type { Kysely, Selectable } from 'kysely'
import type { PageStart } from '../database/page.ts'
import type { CredentialsTable, Schema } from '../database/schema.ts'

const SHOWN = ['credential_id', 'name', 'prefix', 'created_at', 'revoked_at'] as const

/** What is shown of an account key. */
export type AccountKeyRow = Pick<Selectable<CredentialsTable>, (typeof SHOWN)[number]>

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
