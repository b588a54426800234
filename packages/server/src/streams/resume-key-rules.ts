import type { Keyring } from '../secrets/keyring.ts'

interface RunName {
  runtimeId: string
  executionId: string
}

/** The key that resumes and cancels one execution. Derived, so that every replica can check it and nothing is stored. */
export function resumeKeyOf(keyring: Pick<Keyring, 'hash'>, { runtimeId, executionId }: RunName): string {
  return keyring.hash(`resume ${runtimeId} ${executionId}`)
}

/** Compares in constant time, under every master key. */
export function isResumeKey(
  keyring: Pick<Keyring, 'isHashOf'>,
  { runtimeId, executionId }: RunName,
  given: string,
): boolean {
  return keyring.isHashOf(`resume ${runtimeId} ${executionId}`, given)
}
