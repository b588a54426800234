import { secretContext } from '../../src/accounts/second-factor.ts'
import { codeOfStep, stepAt } from '../../src/accounts/totp-rules.ts'
import { findSecondFactor, putSecret, turnOn } from '../../src/accounts/two-factor-store.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { firstMember } from './members.ts'
import type { TestOwner, TestService } from './service.ts'

/** What apps of tests share with accounts of tests. */
export const APP_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** What the app shows now, or a number of steps of 30 seconds from now. */
export function appCode({ clock }: Pick<TestService, 'clock'>, later = 0, secret = APP_SECRET): string {
  return codeOfStep(secret, stepAt(clock.now()) + later)
}

/** Gives an account’s first member the secret of {@link APP_SECRET}, on or waiting for its first code. */
export async function giveSecondFactor(
  { service, owner }: { service: TestService; owner: Pick<TestOwner, 'email'> },
  { isOn }: { isOn: boolean },
): Promise<void> {
  const { db, keyring, clock } = service.deps
  const member = await firstMember(service, owner)
  const { memberId } = member
  await putSecret(db, member, keyring.seal(new Secret(APP_SECRET), secretContext(memberId)))
  const factor = await findSecondFactor(db, memberId)
  const codeHashes = [keyring.hash(`recovery-code:${memberId}:AAAAABBBBB`)]
  if (isOn && factor) await turnOn(db, factor, { step: 0, now: clock.now(), codeHashes })
}
