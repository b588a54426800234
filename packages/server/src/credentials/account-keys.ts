import type { AccountKey, CreateAccountKeyRequest, CreatedAccountKey } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { forbidden, notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { cutPage, type PageRequest, type PageStart } from '../store/page.ts'
import { type AccountKeyRow, insertAccountKey, listAccountKeys, revokeOwnKey } from './account-key-store.ts'
import { mintCredential } from './credentials.ts'
import type { CredentialDeps } from './deps.ts'
import { TOO_MANY_KEYS } from './rules.ts'

/** A further key for the account; only this answer holds it in full. Throws 403 where the account has its maximum. */
export async function createAccountKey(
  deps: CredentialDeps,
  owner: Owner,
  { name }: CreateAccountKeyRequest,
): Promise<CreatedAccountKey> {
  deps.room.require()
  const { key, row } = mintCredential(deps, owner.ownerId, { kind: 'account', runtimeId: null, name })
  if (!(await insertAccountKey(deps.db, row))) throw forbidden(TOO_MANY_KEYS)
  return { ...toAccountKey({ ...row, name, revoked_at: null }), key: key.reveal() }
}

/** The account's keys, newest first. */
export async function listOwnKeys(
  deps: Pick<CredentialDeps, 'db'>,
  owner: Owner,
  page: PageRequest,
): Promise<{ keys: AccountKey[]; next: PageStart | null }> {
  const rows = await listAccountKeys(deps.db, owner.ownerId, { ...page, limit: page.limit + 1 })
  const { shown, next } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.credential_id }))
  return { keys: shown.map(toAccountKey), next }
}

/** Revokes a key of the account, which may be the key of this request. Idempotent. Another account's key reads as absent. */
export async function revokeAccountKey(
  deps: Pick<CredentialDeps, 'db' | 'clock'>,
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
