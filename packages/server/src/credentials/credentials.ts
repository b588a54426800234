import { abbreviateKey, type KeyKind, keyKindOf, type Role } from '@svc/contract'
import { forbidden, noLongerOwner } from '../errors.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { sealedIn } from '../secrets/keyring.ts'
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

interface KeyFields {
  kind: KeyKind
  runtimeId?: string | null
  name?: string
  /** An account key has the role that its member has at the time of a request, or `role` where it has no member. */
  memberId?: string | null
  role?: Role | null
}

export const keyContext = sealedIn('credentials', 'sealed')

/** A new key and its row. Of account keys only the hash is stored, so nothing can reveal them. */
export function mintCredential({ keyring, newId, clock }: MintDeps, ownerId: string, fields: KeyFields): MintedKey {
  const { kind, runtimeId = null, name = null, memberId = null, role = null } = fields
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
    member_id: memberId,
    role,
    created_at: clock.now(),
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
export function lookUpHashes({ keyring }: Pick<CoreDeps, 'keyring'>, kind: KeyKind, presented: string) {
  return keyKindOf(presented) === kind ? keyring.hashes(presented) : null
}
