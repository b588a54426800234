import type { AccountKey, AccountKeyList, CreateAccountKeyRequest, CreatedAccountKey } from '@svc/contract'
import type { Caller } from '../accounts/caller.ts'
import { notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { cutPage, type PageRequest } from '../store/page.ts'
import { type AccountKeyRow, type KeyScope, listAccountKeys, revokeKey } from './account-key-store.ts'
import { addKey } from './credentials.ts'

/** A further key for the account; only this answer holds it in full. Throws 403 where the account has its maximum. */
export async function createAccountKey(
  deps: CoreDeps,
  caller: Caller,
  { name, role = 'owner' }: CreateAccountKeyRequest,
): Promise<CreatedAccountKey> {
  deps.diskSpace.require()
  const { ownerId } = caller.owner
  const by = caller.keyId === null ? { memberId: caller.member.memberId } : { keyId: caller.keyId }
  const { key, row } = await addKey(deps, ownerId, { name, role, by })
  deps.logger.info({ ownerId, keyId: row.credential_id, role, ...actorIn(caller) }, 'an API key was made')
  const shown = { ...row, name, role, email: null, own_role: null, last_used_at: null, revoked_at: null }
  return { ...toAccountKey(shown), key: key.reveal() }
}

/** An owner sees all keys of the account; others see those of their own `svc login`, or the key that they ask with. */
export function keysFor(caller: Caller): KeyScope {
  const { ownerId } = caller.owner
  if (caller.role === 'owner') return { ownerId, only: null }
  if (caller.keyId === null) return { ownerId, only: { memberId: caller.member.memberId } }
  const { member, keyId } = caller
  return { ownerId, only: member ? { memberId: member.memberId } : { keyId } }
}

type StoreDeps = Pick<CoreDeps, 'db' | 'clock'>

/** Keys of the account, newest first. */
export async function listOwnKeys({ db }: StoreDeps, scope: KeyScope, page: PageRequest): Promise<AccountKeyList> {
  const rows = await listAccountKeys(db, scope, page)
  const { shown, nextCursor } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.credential_id }))
  return { keys: shown.map(toAccountKey), nextCursor }
}

/** Revokes a key that the caller sees, which may be the key of this request. Idempotent. Any other one reads as absent. */
export async function revokeOwnKey(deps: CoreDeps, caller: Caller, keyId: string): Promise<AccountKey> {
  const key = await revokeAccountKey(deps, keysFor(caller), keyId)
  const { ownerId } = caller.owner
  deps.logger.info({ ownerId, keyId, ...actorIn(caller) }, 'an API key was revoked')
  return key
}

/** Who makes or ends a key, for the log. */
function actorIn({ member, keyId }: Caller): { by?: string; byKey?: string } {
  return { ...(member && { by: member.memberId }), ...(keyId !== null && { byKey: keyId }) }
}

/** The same within a scope. */
export async function revokeAccountKey(deps: StoreDeps, scope: KeyScope, keyId: string): Promise<AccountKey> {
  const row = await revokeKey(deps.db, scope, keyId, deps.clock.now())
  if (!row) throw notFound('The key')
  return toAccountKey(row)
}

function toAccountKey(row: AccountKeyRow): AccountKey {
  return {
    keyId: row.credential_id,
    name: row.name ?? '',
    prefix: row.prefix,
    // The role of a member who is gone is no longer known; their keys are revoked.
    role: row.own_role ?? row.role ?? 'viewer',
    member: row.email,
    createdAt: isoTime(row.created_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    revokedAt: isoTimeOrNull(row.revoked_at),
  }
}
