import type { SignedInUser } from '../end-users/signed-in-user.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { Secret } from '../secrets/secret.ts'
import { type ApprovalTerms, proofText } from './rules.ts'

type Hashing = Pick<Keyring, 'hash' | 'isHashOf'>
type Checking = Pick<Keyring, 'isHashOf'>
type Proven = ApprovalTerms & { proof: string }

/** The key of a new approval: a keyed hash of its id, so that it can be told again and is stored nowhere. */
export function keyOf(keyring: Pick<Keyring, 'hash'>, approvalId: string): Secret {
  return new Secret(keyring.hash(keyText(approvalId)))
}

/** The key of a stored approval, whichever master key was the first when it was made; null where its terms were altered. */
export function keyAgain(keyring: Checking & Pick<Keyring, 'hashes'>, approval: Proven): Secret | null {
  const keys = keyring.hashes(keyText(approval.approval_id)).map((key) => new Secret(key))
  return keys.find((key) => isProven(keyring, key, approval)) ?? null
}

/** The hash of an approval's key together with its terms. */
export function proofOf(keyring: Hashing, key: Secret, terms: ApprovalTerms): string {
  return keyring.hash(proofText(key.reveal(), terms))
}

/** Whether a key opens an approval whose terms are unchanged. Compares in constant time. */
export function isProven(keyring: Checking, key: Secret, approval: Proven): boolean {
  return keyring.isHashOf(proofText(key.reveal(), approval), approval.proof)
}

/** The end user of a call, by token or as signed in. */
interface ForWhom {
  endUserToken: Secret | undefined
  endUser?: SignedInUser | undefined
}

/** The stored hash of the end user; null where there is none. It fits one approval alone. */
export function hashOfUser(keyring: Hashing, user: ForWhom, approvalId: string): string | null {
  const text = userText(user, approvalId)
  return text === null ? null : keyring.hash(text)
}

export function isHashOfUser(keyring: Hashing, user: ForWhom, hash: string, approvalId: string): boolean {
  const text = userText(user, approvalId)
  return text !== null && keyring.isHashOf(text, hash)
}

/** The text whose keyed hash is stored of the end user. */
function userText({ endUserToken: secret, endUser }: ForWhom, approvalId: string): string | null {
  if (endUser) return JSON.stringify(['approval-principal', endUser.principal.reveal(), approvalId])
  return secret ? JSON.stringify(['approval-token', secret.reveal(), approvalId]) : null
}

/** The text whose keyed hash is the key of an approval. */
function keyText(approvalId: string): string {
  return JSON.stringify(['approval-key', approvalId])
}
