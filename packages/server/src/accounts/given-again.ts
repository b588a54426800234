import { invalidField, noLongerOwner } from '../errors.ts'
import { Secret } from '../secrets/secret.ts'
import type { LiveSession } from './caller.ts'
import type { AccountDeps } from './deps.ts'
import type { Actor, Member } from './member-store.ts'
import { checkSecondFactor } from './second-factor.ts'
import { requirePassword } from './sign-in.ts'

/** Password and code, given again for a change that a session alone may not make. */
interface GivenAgain {
  password?: string | undefined
  code?: string | undefined
}

/** Who changes the members of an account. Throws 400 where the password or the code that they gave again is wrong. */
export async function actorOf(deps: AccountDeps, { member }: LiveSession, given: GivenAgain): Promise<Actor> {
  const { password, code } = given
  if (password === undefined) return { ...member, passwordVersion: null }
  return { ...member, passwordVersion: await requireAgain(deps, member, { password, code, isUsedUp: true }) }
}

/** Judges what a member of a session gave again, and returns the version of their password. Throws 400 where it is wrong. */
export async function requireAgain(
  deps: AccountDeps,
  member: Member,
  { password, code, isUsedUp }: GivenAgain & { password: string; isUsedUp: boolean },
): Promise<number> {
  const passwordVersion = await requirePassword(deps, member, new Secret(password))
  await checkSecondFactor(deps, member.memberId, { code, isKnown: true, isUsedUp })
  return passwordVersion
}

/** The message for a caller who may not make the change. */
export const REFUSED_ACTORS = {
  'not owner': noLongerOwner,
  unconfirmed: () => invalidField('password', 'is needed where an owner is made, demoted or removed.'),
}
