import { abbreviateKey, type KeyKind, keyKindOf } from '@svc/contract'
import type { SealContext } from '../secrets/keyring.ts'
import { mintKey } from '../secrets/mint.ts'
import type { Secret } from '../secrets/secret.ts'
import type { CredentialDeps } from './deps.ts'
import type { NewCredential } from './store.ts'

/** The context that binds a sealed key to its row. */
export function keyContext(credentialId: string): SealContext {
  return { table: 'credentials', column: 'sealed', rowId: credentialId }
}

/** A new key and its row. Of account keys only the hash is stored, so nothing can reveal them. */
export function mintCredential(
  { keyring, newId, clock }: Pick<CredentialDeps, 'keyring' | 'newId' | 'clock'>,
  ownerId: string,
  { kind, runtimeId, name }: { kind: KeyKind; runtimeId: string | null; name?: string },
): { key: Secret; row: NewCredential } {
  const key = mintKey(kind)
  const credentialId = newId('credential')
  const row: NewCredential = {
    owner_id: ownerId,
    credential_id: credentialId,
    kind,
    runtime_id: runtimeId,
    hash: keyring.hash(key.reveal()),
    sealed: kind === 'account' ? null : keyring.seal(key, keyContext(credentialId)),
    prefix: abbreviateKey(key.reveal()),
    name: name ?? null,
    created_at: clock.now(),
    expires_at: null,
    revoked_at: null,
  }
  return { key, row }
}

/** The hashes under which a presented key may be stored; null where its form is not that of this kind. */
export function lookUpHashes(
  { keyring }: Pick<CredentialDeps, 'keyring'>,
  kind: KeyKind,
  presented: string,
): string[] | null {
  return keyKindOf(presented) === kind ? keyring.hashes(presented) : null
}
