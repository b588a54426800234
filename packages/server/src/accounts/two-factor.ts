import type { StartedTwoFactor, StopTwoFactorRequest, TwoFactor } from '@svc/contract'
import { forbidden, wrongCode } from '../errors.ts'
import { isoTimeOrNull } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { Secret } from '../secrets/secret.ts'
import { accountAttempt, countAttempt } from './attempts.ts'
import type { AccountDeps } from './deps.ts'
import type { Member } from './member-store.ts'
import { checkSecondFactor, recoveryText, secretContext, stepOf } from './second-factor.ts'
import { requirePassword } from './sign-in.ts'
import * as rules from './totp-rules.ts'
import * as store from './two-factor-store.ts'

export async function twoFactorOf({ db }: Pick<CoreDeps, 'db'>, { memberId }: Member): Promise<TwoFactor> {
  const since = (await store.findSecondFactor(db, memberId))?.confirmed_at ?? null
  const recoveryCodesLeft = since === null ? 0 : await store.countRecoveryCodes(db, memberId)
  return { isOn: since !== null, since: isoTimeOrNull(since), recoveryCodesLeft }
}

/** A secret for the member's app. No code is asked for at sign-in until one of it was confirmed. */
export async function startTwoFactor(deps: AccountDeps, member: Member, password: Secret): Promise<StartedTwoFactor> {
  deps.diskSpace.require()
  await requirePassword(deps, member, password)
  const secret = rules.randomTotpSecret()
  const sealed = deps.keyring.seal(new Secret(secret), secretContext(member.memberId))
  if (!(await store.putSecret(deps.db, member, sealed))) throw forbidden(IS_ON)
  const issuer = new URL(deps.baseUrl()).hostname
  return { secret, uri: rules.totpUri(secret, { issuer, account: member.email }) }
}

/** Turns it on with the first code of the app, and returns the recovery codes. */
export async function confirmTwoFactor(deps: AccountDeps, member: Member, code: string): Promise<string[]> {
  const { memberId, email } = member
  await countAttempt(deps, accountAttempt('change/address', email).buckets)
  const factor = await store.findSecondFactor(deps.db, memberId)
  if (!factor) throw forbidden('There is no secret to confirm: ask for one first.')
  if (factor.confirmed_at !== null) throw forbidden(IS_ON)
  const step = stepOf(deps, factor, rules.parseCode(code).code)
  if (step === null) throw wrongCode()
  const codes = rules.randomRecoveryCodes()
  const codeHashes = codes.map((each) => deps.keyring.hash(recoveryText(memberId, each.code)))
  if (!(await store.turnOn(deps.db, factor, { step, now: deps.clock.now(), codeHashes }))) throw wrongCode()
  return codes.map(({ shown }) => shown)
}

/** Turns it off, with the password and a code. */
export async function stopTwoFactor(
  deps: AccountDeps,
  member: Member,
  given: StopTwoFactorRequest,
): Promise<TwoFactor> {
  const { password, code } = given
  await requirePassword(deps, member, new Secret(password))
  if (!(await twoFactorOf(deps, member)).isOn) throw forbidden('Two-factor sign-in is off.')
  await checkSecondFactor(deps, member.memberId, { code, isKnown: true, isUsedUp: true })
  await store.turnOff(deps.db, member.memberId)
  return twoFactorOf(deps, member)
}

const IS_ON = 'Two-factor sign-in is on already. Turn it off first to use another app.'
