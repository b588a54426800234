import { abbreviateKey, type KeyKind, keyKindOf, type Role } from '@svc/contract'
import { forbidden, noLongerOwner } from '../errors.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { SealContext } from '../secrets/keyring.ts'
import { mintKey } from '../secrets/mint.ts'
import type { Secret } from '../secrets/secret.ts'
import { inTransaction } from '../store/transaction.ts'
import { addAccountKey, type KeyMaker } from './account-key-store.ts'
import { TOO_MANY_KEYS } from './rules.ts'
import type { NewCredential } from './store.ts'

type MintDeps = Pick<CoreDeps, 'keyring' | 'newId' | 'clock'>

/** A key that only the caller holds in full, and its row. */
interface MintedKey {
  key: Secret
  row: NewCredential
}

interface KeyKindAndName {
  kind: KeyKind
  runtimeId?: string | null
  name?: string | null
}

/** What a key of the account may do: what `role` may, or what its member may at the time. */
export interface KeyHolder {
  memberId: string | null
  role: Role | null
}

/** The context that binds a sealed key to its row. */
export function keyContext(credentialId: string): SealContext {
  return { table: 'credentials', column: 'sealed', rowId: credentialId }
}

/** A new key and its row. Of account keys only the hash is stored, so nothing can reveal them. */
export function mintCredential(
  { keyring, newId, clock }: MintDeps,
  ownerId: string,
  { kind, runtimeId = null, name = null, ...whose }: KeyKindAndName & Partial<KeyHolder>,
): MintedKey {
  const key = mintKey(kind)
  const credentialId = newId('credential')
  const row = {
    owner_id: ownerId,
    credential_id: credentialId,
    kind,
    runtime_id: runtimeId,
    hash: keyring.hash(key.reveal()),
    sealed: kind === 'account' ? null : keyring.seal(key, keyContext(credentialId)),
    prefix: abbreviateKey(key.reveal()),
    name,
    member_id: whose.memberId ?? null,
    role: whose.role ?? null,
    created_at: clock.now(),
    expires_at: null,
    revoked_at: null,
  }
  return { key, row }
}

/** Adds a key to an account. Throws 403 where it has its maximum, or `by` is no owner any more; null is the operator. */
export async function addKey(
  deps: MintDeps & Pick<CoreDeps, 'db'>,
  ownerId: string,
  { by, ...named }: { name: string; role: Role; by: KeyMaker | null },
): Promise<MintedKey> {
  const minted = mintCredential(deps, ownerId, { kind: 'account', ...named })
  const outcome = await inTransaction(deps.db, (tx) => addAccountKey(tx, minted.row, by))
  if (outcome === 'not owner') throw noLongerOwner()
  if (outcome === 'full') throw forbidden(TOO_MANY_KEYS)
  return minted
}

/** The hashes under which a presented key may be stored; null where its form is not that of this kind. */
export function lookUpHashes(
  { keyring }: Pick<CoreDeps, 'keyring'>,
  kind: KeyKind,
  presented: string,
): string[] | null {
  return keyKindOf(presented) === kind ? keyring.hashes(presented) : null
}
