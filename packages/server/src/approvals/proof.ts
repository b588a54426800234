import type { Keyring } from '../secrets/keyring.ts'
import type { Secret } from '../secrets/secret.ts'
import { type ApprovalTerms, proofText, tokenText } from './rules.ts'

type Hashing = Pick<Keyring, 'hash' | 'isHashOf'>

/** The hash of an approval's key together with its terms. */
export function proofOf(keyring: Hashing, key: Secret, terms: ApprovalTerms): string {
  return keyring.hash(proofText(key.reveal(), terms))
}

/** Whether a key opens an approval whose terms are unchanged. Compares in constant time. */
export function isProven(keyring: Hashing, key: Secret, approval: ApprovalTerms & { proof: string }): boolean {
  return keyring.isHashOf(proofText(key.reveal(), approval), approval.proof)
}

/** What is stored of an end user's token: a hash that fits one approval alone. */
export function hashOfToken(keyring: Hashing, secret: Secret | undefined, approvalId: string): string | null {
  return secret ? keyring.hash(tokenText(secret.reveal(), approvalId)) : null
}

export function isTokenOf(keyring: Hashing, secret: Secret, hash: string, approvalId: string): boolean {
  return keyring.isHashOf(tokenText(secret.reveal(), approvalId), hash)
}
