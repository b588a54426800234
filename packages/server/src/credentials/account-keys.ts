import type { AccountKey, AccountKeyList, CreateAccountKeyRequest, CreatedAccountKey } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { cutPage, type PageRequest } from '../store/page.ts'
import { type AccountKeyRow, listAccountKeys, revokeOwnKey } from './account-key-store.ts'
import { addKey } from './credentials.ts'

/** A further key for the account; only this answer holds it in full. Throws 403 where the account has its maximum. */
export async function createAccountKey(
  deps: CoreDeps,
  { ownerId }: Owner,
  { name }: CreateAccountKeyRequest,
): Promise<CreatedAccountKey> {
  deps.diskSpace.require()
  const { key, row } = await addKey(deps, ownerId, name)
  return { ...toAccountKey({ ...row, name, last_used_at: null, revoked_at: null }), key: key.reveal() }
}

/** The account's keys, newest first. */
export async function listOwnKeys(
  { db }: Pick<CoreDeps, 'db'>,
  { ownerId }: Owner,
  page: PageRequest,
): Promise<AccountKeyList> {
  const rows = await listAccountKeys(db, ownerId, page)
  const { shown, nextCursor } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.credential_id }))
  return { keys: shown.map(toAccountKey), nextCursor }
}

/** Revokes a key of the account, which may be the key of this request. Idempotent. Another account's key reads as absent. */
export async function revokeAccountKey(
  { db, clock }: Pick<CoreDeps, 'db' | 'clock'>,
  { ownerId }: Owner,
  keyId: string,
): Promise<AccountKey> {
  const row = await revokeOwnKey(db, ownerId, { keyId, now: clock.now() })
  if (!row) throw notFound('The key')
  return toAccountKey(row)
}

function toAccountKey(row: AccountKeyRow): AccountKey {
  return {
    keyId: row.credential_id,
    name: row.name ?? '',
    prefix: row.prefix,
    createdAt: isoTime(row.created_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    revokedAt: isoTimeOrNull(row.revoked_at),
  }
}
