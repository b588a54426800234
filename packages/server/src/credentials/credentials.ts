import { abbreviateKey, type KeyKind, keyKindOf } from '@svc/contract'
import type { Deps } from '../deps.ts'
import type { SealContext } from '../secrets/keyring.ts'
import { mintKey } from '../secrets/mint.ts'
import type { Secret } from '../secrets/secret.ts'
import type { NewCredential } from './store.ts'

interface Minted {
  key: Secret
  row: NewCredential
}

/** What a sealed key is bound to: its own row. */
export function keyContext(credentialId: string): SealContext {
  return { table: 'credentials', column: 'sealed', rowId: credentialId }
}

/** A new key and the row to store for it. Account keys are kept as a hash only: nothing ever reveals them. */
export function mintCredential(
  deps: Pick<Deps, 'keyring' | 'newId' | 'clock'>,
  ownerId: string,
  input: { kind: KeyKind; runtimeId: string | null; name?: string },
): Minted {
  const key = mintKey(input.kind)
  const credentialId = deps.newId('credential')
  const row: NewCredential = {
    owner_id: ownerId,
    credential_id: credentialId,
    kind: input.kind,
    runtime_id: input.runtimeId,
    hash: deps.keyring.hash(key.reveal()),
    sealed: input.kind === 'account' ? null : deps.keyring.seal(key, keyContext(credentialId)),
    prefix: abbreviateKey(key.reveal()),
    name: input.name ?? null,
    created_at: deps.clock.now(),
    expires_at: null,
    revoked_at: null,
  }
  return { key, row }
}

/** The hashes to look a presented key up by, or null when it cannot be a key of this kind. */
export function lookUpHashes(deps: Pick<Deps, 'keyring'>, kind: KeyKind, presented: string): string[] | null {
  return keyKindOf(presented) === kind ? deps.keyring.hashes(presented) : null
}
