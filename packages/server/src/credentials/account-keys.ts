import type { AccountKey, CreateAccountKeyRequest, CreatedAccountKey } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { cutPage, type PageStart } from '../database/page.ts'
import type { Deps } from '../deps.ts'
import { forbidden, notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { type AccountKeyRow, insertAccountKey, listAccountKeys, revokeOwnKey } from './account-key-store.ts'
import { mintCredential } from './credentials.ts'
import { TOO_MANY_KEYS } from './rules.ts'

/** A further key for the account, in full this once. Throws 403 where the account has its full number. */
export async function createAccountKey(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'keyring' | 'room'>,
  owner: Owner,
  { name }: CreateAccountKeyRequest,
): Promise<CreatedAccountKey> {
  deps.room.require()
  const { key, row } = mintCredential(deps, owner.ownerId, { kind: 'account', runtimeId: null, name })
  if (!(await insertAccountKey(deps.db, row))) throw forbidden(TOO_MANY_KEYS)
  const { credential_id: keyId, prefix, created_at: createdAt } = row
  return { keyId, name, prefix, createdAt: isoTime(createdAt), revokedAt: null, key: key.reveal() }
}

/** The account's keys, newest first, and where the next page begins. */
export async function listOwnKeys(
  deps: Pick<Deps, 'db'>,
  owner: Owner,
  page: { limit: number; after: PageStart | null },
): Promise<{ keys: AccountKey[]; next: PageStart | null }> {
  const rows = await listAccountKeys(deps.db, owner.ownerId, { limit: page.limit + 1, after: page.after })
  const { shown, next } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.credential_id }))
  return { keys: shown.map(toAccountKey), next }
}

/** Ends a key of the account at once, be it the one that asks. To revoke again changes nothing. Another's reads as absent. */
export async function revokeAccountKey(
  deps: Pick<Deps, 'db' | 'clock'>,
  owner: Owner,
  keyId: string,
): Promise<AccountKey> {
  const row = await revokeOwnKey(deps.db, owner.ownerId, { keyId, now: deps.clock.now() })
  if (!row) throw notFound('The key')
  return toAccountKey(row)
}

function toAccountKey(row: AccountKeyRow): AccountKey {
  return {
    keyId: row.credential_id,
    name: row.name ?? '',
    prefix: row.prefix,
    createdAt: isoTime(row.created_at),
    revokedAt: isoTimeOrNull(row.revoked_at),
  }
}
