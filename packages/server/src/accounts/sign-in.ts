import type { ChangePasswordRequest, Session } from '@svc/contract'
import { afterCommit, invalidField, wrongPassword } from '../errors.ts'
import { networkOf } from '../lib/network.ts'
import type { Secret } from '../secrets/secret.ts'
import { normalizeEmail } from './accounts.ts'
import { accountAttempt, countAttempt, type PasswordAttempt, rememberSignIn, signInAttempt } from './attempts.ts'
import type { LiveSession } from './caller.ts'
import type { AccountDeps } from './deps.ts'
import type { Member } from './member-store.ts'
import * as store from './password-store.ts'
import { IPV6_BITS } from './rules.ts'
import type { PasswordHasher } from './scrypt.ts'
import { checkSecondFactor } from './second-factor.ts'
import { beginSession, type VerifiedMember } from './sessions.ts'

/** The address and the device that a session began on, as its member reads them. */
interface Client {
  ip: string
  device: string | null
}

interface SignInInput extends Client {
  email: string
  password: Secret
  code?: string | undefined
}

/** Opens an account on the free plan and begins its first session. Throws 400 where the address has an account. */
export async function signUp(deps: AccountDeps, input: SignInInput): Promise<Session> {
  deps.diskSpace.require()
  const attempt: PasswordAttempt = {
    place: { key: networkOf(input.ip, IPV6_BITS.hashing), isKnown: false },
    buckets: [['sign-up/network', networkOf(input.ip, IPV6_BITS.signUp)]],
  }
  const passwordHash = await counted(deps, attempt, (hasher) => hasher.hash(input.password.reveal()))
  return afterCommit(open(deps, input, passwordHash))
}

async function open(deps: AccountDeps, input: SignInInput, passwordHash: string): Promise<Session> {
  const createdAt = deps.clock.now()
  const [ownerId, memberId, email] = [deps.newId('owner'), deps.newId('member'), normalizeEmail(input.email)]
  const owner = { ownerId, email, tier: 'free' as const, createdAt }
  const version = await store.openAccount(deps.db, { ...owner, memberId }, passwordHash)
  const member = { memberId, ownerId, email, role: 'owner' as const }
  if (version !== null) return beginFrom(deps, { owner, member, version }, input)
  const advice = 'Sign in; where its password is lost or was never set, ask for a link or the operator.'
  throw invalidField('email', `has an account already. ${advice}`)
}

/**
 * Begins a session. An unknown address and a wrong password are the same 401, after the same work. A code counts as part of
 * the attempt, and is judged only where the password is right.
 */
export async function signIn(deps: AccountDeps, { email: typed, password, code, ...client }: SignInInput) {
  const email = normalizeEmail(typed)
  // Read before the attempt is counted: a failed read must not cost an attempt.
  const stored = await store.findPassword(deps.db, { email })
  const attempt = await signInAttempt(deps, { memberId: stored?.member.memberId ?? null, email, ip: client.ip })
  const isRight = await counted(deps, attempt, async (hasher) => {
    if (stored) return hasher.verify({ hash: stored.hash, password: password.reveal() })
    await hasher.hash(password.reveal())
    return false
  })
  if (!stored || !isRight) throw wrongPassword()
  const { isKnown } = attempt.place
  await checkSecondFactor(deps, stored.member.memberId, { code, isKnown, isUsedUp: true })
  return afterCommit(beginFrom(deps, stored, client))
}

/** Begins a session of a member whose password was given from this address. */
export async function beginFrom(deps: AccountDeps, verified: VerifiedMember, { ip, device }: Client): Promise<Session> {
  await rememberSignIn(deps, verified.member, ip)
  return beginSession(deps, verified, device)
}

/** Changes the password of a session's member. All their sessions end; the returned one replaces the caller's. */
export async function changePassword(
  deps: AccountDeps,
  { member: { memberId, email }, device }: LiveSession & Pick<Client, 'device'>,
  { currentPassword, newPassword }: ChangePasswordRequest,
): Promise<Session> {
  const stored = await store.findPassword(deps.db, { member_id: memberId })
  if (!stored) throw wrongCurrentPassword()
  const passwordHash = await counted(deps, accountAttempt('change/address', email), async (hasher) => {
    const isRight = await hasher.verify({ hash: stored.hash, password: currentPassword })
    if (!isRight) throw wrongCurrentPassword()
    return hasher.hash(newPassword)
  })
  const replace = async () => {
    const version = await store.replacePassword(deps.db, { memberId, version: stored.version, passwordHash })
    if (version === null) throw wrongCurrentPassword()
    return beginSession(deps, { ...stored, version }, device)
  }
  return afterCommit(replace())
}

/** The version of a member's password, which was given again. Throws 400 where it is another one. */
export async function requirePassword(deps: AccountDeps, member: Member, password: Secret): Promise<number> {
  const { memberId, email } = member
  const stored = await store.findPassword(deps.db, { member_id: memberId })
  const isRight =
    stored !== null &&
    (await counted(deps, accountAttempt('change/address', email), (hasher) =>
      hasher.verify({ hash: stored.hash, password: password.reveal() }),
    ))
  if (!isRight) throw wrongOf('password')
  return stored.version
}

/** Sets a member's password for the operator and ends all their sessions; null when nobody has this address. */
export async function resetPassword(
  deps: Pick<AccountDeps, 'db' | 'passwords'>,
  input: { email: string; password: Secret },
): Promise<{ ownerId: string; email: string } | null> {
  const email = normalizeEmail(input.email)
  const place = { key: 'operator', isKnown: true }
  const passwordHash = await deps.passwords.run(place, (hasher) => hasher.hash(input.password.reveal()))
  const member = await store.setPassword(deps.db, email, passwordHash)
  return member && { ownerId: member.ownerId, email }
}

/** Counts an attempt, and hashes for it, once the queue lets it: an attempt that the queue refuses is not counted. */
function counted<T>(
  deps: AccountDeps,
  { place, buckets }: PasswordAttempt,
  hash: (hasher: PasswordHasher) => Promise<T>,
): Promise<T> {
  return deps.passwords.run(place, async (hasher) => {
    await countAttempt(deps, buckets)
    return hash(hasher)
  })
}

const wrongOf = (field: string) => invalidField(field, 'is not the account’s password.')
const wrongCurrentPassword = () => wrongOf('currentPassword')
