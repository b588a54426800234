import type { SignedInUser } from '../end-users/signed-in-user.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { Secret } from '../secrets/secret.ts'
import { type ApprovalTerms, keyText, principalText, proofText, tokenText } from './rules.ts'

type Hashing = Pick<Keyring, 'hash' | 'isHashOf'>

/** The key of a new approval: a keyed hash of its id, so that it can be told again and is stored nowhere. */
export function keyOf(keyring: Pick<Keyring, 'hash'>, approvalId: string): Secret {
  return new Secret(keyring.hash(keyText(approvalId)))
}

/** The key of a stored approval, whichever master key was the first when it was made; null where its terms were altered. */
export function keyAgain(
  keyring: Pick<Keyring, 'hashes' | 'isHashOf'>,
  approval: ApprovalTerms & { proof: string },
): Secret | null {
  const keys = keyring.hashes(keyText(approval.approval_id)).map((key) => new Secret(key))
  return keys.find((key) => isProven(keyring, key, approval)) ?? null
}

/** The hash of an approval's key together with its terms. */
export function proofOf(keyring: Hashing, key: Secret, terms: ApprovalTerms): string {
  return keyring.hash(proofText(key.reveal(), terms))
}

/** Whether a key opens an approval whose terms are unchanged. Compares in constant time. */
export function isProven(
  keyring: Pick<Keyring, 'isHashOf'>,
  key: Secret,
  approval: ApprovalTerms & { proof: string },
): boolean {
  return keyring.isHashOf(proofText(key.reveal(), approval), approval.proof)
}

interface ForWhom {
  endUserToken: Secret | undefined
  endUser?: SignedInUser | undefined
}

/** The stored hash of the end user, by token or as signed in; null where there is none. It fits one approval alone. */
export function hashOfUser(keyring: Hashing, { endUserToken: secret, endUser }: ForWhom, approvalId: string) {
  if (endUser) return keyring.hash(principalText(endUser.principal.reveal(), approvalId))
  return secret ? keyring.hash(tokenText(secret.reveal(), approvalId)) : null
}

export function isPrincipalOf(
  keyring: Hashing,
  { principal }: SignedInUser,
  hash: string,
  approvalId: string,
): boolean {
  return keyring.isHashOf(principalText(principal.reveal(), approvalId), hash)
}

export function isTokenOf(keyring: Hashing, secret: Secret, hash: string, approvalId: string): boolean {
  return keyring.isHashOf(tokenText(secret.reveal(), approvalId), hash)
}
