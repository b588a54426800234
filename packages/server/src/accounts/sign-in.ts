import type { Session } from '@svc/contract'
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
import { beginSession } from './sessions.ts'

interface SignInInput {
  email: string
  password: Secret
  ip: string
  /** What the session begins on. */
  device?: string | null
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
  if (version !== null) return begin(deps, { owner, member, version }, input)
  const advice = 'Sign in; where its password is lost or was never set, ask for a link or the operator.'
  throw invalidField('email', `has an account already. ${advice}`)
}

/**
 * Begins a session. An unknown address and a wrong password are the same 401, after the same work. A code counts as part of
 * the attempt, and is judged only where the password is right.
 */
export async function signIn(deps: AccountDeps, input: SignInInput & { code?: string | undefined }): Promise<Session> {
  const { password, ip } = input
  const email = normalizeEmail(input.email)
  // Read before the attempt is counted: a failed read must not cost an attempt.
  const stored = await store.findPassword(deps.db, email, 'email')
  const attempt = await signInAttempt(deps, { memberId: stored?.member.memberId ?? null, email, ip })
  const isRight = await counted(deps, attempt, async (hasher) => {
    if (stored) return hasher.verify({ hash: stored.hash, password: password.reveal() })
    await hasher.hash(password.reveal())
    return false
  })
  if (!stored || !isRight) throw wrongPassword()
  const { isKnown } = attempt.place
  await checkSecondFactor(deps, stored.member.memberId, { code: input.code, isKnown, isUsedUp: true })
  return afterCommit(begin(deps, stored, input))
}

/** Changes the password of a session's member. All their sessions end; the returned one replaces the caller's. */
export async function changePassword(
  deps: AccountDeps,
  { member: { memberId, email }, device = null }: LiveSession & { device?: string | null },
  current: Secret,
  next: Secret,
): Promise<Session> {
  const stored = await store.findPassword(deps.db, memberId)
  if (!stored) throw wrongCurrentPassword()
  const passwordHash = await counted(deps, accountAttempt('change/address', email), async (hasher) => {
    const isRight = await hasher.verify({ hash: stored.hash, password: current.reveal() })
    if (!isRight) throw wrongCurrentPassword()
    return hasher.hash(next.reveal())
  })
  return afterCommit(replace(deps, { ...stored, device }, passwordHash))
}

async function replace(
  deps: AccountDeps,
  { owner, member, version, device }: Versioned & { device: string | null },
  passwordHash: string,
): Promise<Session> {
  const next = await store.replacePassword(deps.db, { memberId: member.memberId, version, passwordHash })
  if (next === null) throw wrongCurrentPassword()
  return beginSession(deps, { owner, member, version: next }, device)
}

export type PasswordDeps = Omit<AccountDeps, 'mailer'>

/** The version of a member's password, which was given again. Throws 400 on `field` where it is another one. */
export async function requirePassword(
  deps: PasswordDeps,
  { memberId, email }: Member,
  { field, password }: { field: string; password: Secret },
): Promise<number> {
  const stored = await store.findPassword(deps.db, memberId)
  const isRight =
    stored !== null &&
    (await counted(deps, accountAttempt('change/address', email), (hasher) =>
      hasher.verify({ hash: stored.hash, password: password.reveal() }),
    ))
  if (!isRight) throw wrongOf(field)
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
  const member = await store.setPassword(deps.db, { email, passwordHash })
  return member && { ownerId: member.ownerId, email }
}

/** Counts an attempt, and hashes for it, once the queue lets it: an attempt that the queue refuses is not counted. */
function counted<T>(
  deps: PasswordDeps,
  { place, buckets }: PasswordAttempt,
  hash: (hasher: PasswordHasher) => Promise<T>,
): Promise<T> {
  return deps.passwords.run(place, async (hasher) => {
    await countAttempt(deps, buckets)
    return hash(hasher)
  })
}

type Versioned = Omit<store.StoredPassword, 'hash'>

async function begin(
  deps: AccountDeps,
  begun: Versioned,
  { ip, device = null }: Pick<SignInInput, 'ip' | 'device'>,
): Promise<Session> {
  await rememberSignIn(deps, begun.member, ip)
  return beginSession(deps, begun, device)
}

const wrongOf = (field: string) => invalidField(field, 'is not the account’s password.')
const wrongCurrentPassword = () => wrongOf('currentPassword')
