import type { Account, Tier } from '@svc/contract'
import { addKey, lookUpHashes } from '../credentials/credentials.ts'
import { invalidField, sessionRequired, unauthorized } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Caller, KeyCaller } from './caller.ts'
import { findMember, type Member } from './member-store.ts'
import { isUseDue } from './rules.ts'
import { ensureOwner, findOwner, findOwnerByKey, type NewOwner, noteKeyUse, type OwnerRow } from './store.ts'

/** The account of a request on the owner plane. */
export type Owner = OwnerRow

/**
 * Creates the account unless it exists, and a further key for it. Throws 403 where the account has its full number of keys,
 * and 400 where the address belongs to a member who is no owner.
 * The tier applies to a new account only.
 */
export async function createOwner(
  deps: Pick<CoreDeps, 'db' | 'clock' | 'newId' | 'keyring'>,
  { email, tier }: { email: string; tier: Tier },
): Promise<{ owner: Owner; apiKey: Secret }> {
  const ids = { ownerId: deps.newId('owner'), memberId: deps.newId('member'), email: normalizeEmail(email) }
  const { owner, role } = await ensureOwner(deps.db, { ...ids, tier, createdAt: deps.clock.now() })
  if (role !== 'owner') throw invalidField('email', `belongs to a ${role} of the account ${owner.email}.`)
  const { key } = await addKey(deps, owner.ownerId, { name: 'create-owner', role: 'owner', by: null })
  return { owner, apiKey: key }
}

/** An e-mail address in the form that the store compares. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** The account of a request, and who asks. Throws 401 where it no longer exists. */
export async function accountOf({ db }: CoreDeps, caller: Caller): Promise<Account> {
  const row = await findOwner(db, caller.owner.ownerId)
  if (!row) throw unauthorized()
  return toAccount(row, caller)
}

type Asking = Pick<Caller, 'role' | 'member'>

export function toAccount({ createdAt, ...owner }: NewOwner, { role, member }: Asking): Account {
  const who = member && { memberId: member.memberId, email: member.email }
  return { ...owner, createdAt: isoTime(createdAt), role, member: who }
}

/**
 * The member of a request. A key of the account with the role of an owner stands for the one whose address the account has;
 * any other is refused with 403.
 */
export async function selfOf({ db }: Pick<CoreDeps, 'db'>, { owner, member, role }: Caller): Promise<Member> {
  const self = member ?? (role === 'owner' ? await findMember(db, owner.email) : null)
  // The account may have handed its address on since the key was judged, and somebody else’s may have taken it up.
  if (self?.ownerId !== owner.ownerId) throw sessionRequired()
  return self
}

/** The account behind an API key. Throws the same 401 for every other credential. */
export async function authenticateOwner(deps: CoreDeps, presented: string): Promise<KeyCaller> {
  const hashes = lookUpHashes(deps, 'account', presented)
  const now = deps.clock.now()
  const found = hashes && (await findOwnerByKey(deps.db, hashes, now))
  if (!found) throw unauthorized()
  const { lastUsedAt, ...caller } = found
  if (isUseDue(lastUsedAt, now)) await noteUse(deps, noteKeyUse(deps.db, caller.owner.ownerId, caller.keyId, now))
  return caller
}

/** When something was last used is worth a write, but no failed request. */
export async function noteUse({ logger }: Pick<CoreDeps, 'logger'>, noting: Promise<void>): Promise<void> {
  await noting.catch((err: unknown) => logger.warn({ err }, 'the use of a credential was not noted'))
}
