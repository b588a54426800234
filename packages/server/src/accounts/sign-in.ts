import type { Session } from '@svc/contract'
import { afterCommit, invalidField, wrongPassword } from '../errors.ts'
import { networkOf } from '../lib/network.ts'
import type { Secret } from '../secrets/secret.ts'
import { normalizeEmail } from './accounts.ts'
import { accountAttempt, countAttempt, type PasswordAttempt, rememberSignIn, signInAttempt } from './attempts.ts'
import type { AccountDeps } from './deps.ts'
import * as store from './password-store.ts'
import { IPV6_BITS } from './rules.ts'
import type { PasswordHasher } from './scrypt.ts'
import { checkSecondFactor } from './second-factor.ts'
import { beginSession, type LiveSession } from './sessions.ts'
import type { NewOwner } from './store.ts'

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
  const owner = { ownerId: deps.newId('owner'), email: normalizeEmail(input.email), tier: 'free' as const, createdAt }
  const version = await store.openAccount(deps.db, owner, passwordHash)
  if (version !== null) return begin(deps, { owner, version }, input)
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
  const attempt = await signInAttempt(deps, { ownerId: stored?.owner.ownerId ?? null, email, ip })
  const isRight = await counted(deps, attempt, async (hasher) => {
    if (stored) return hasher.verify({ hash: stored.hash, password: password.reveal() })
    await hasher.hash(password.reveal())
    return false
  })
  if (!stored || !isRight) throw wrongPassword()
  await checkSecondFactor(deps, stored.owner.ownerId, input.code)
  return afterCommit(begin(deps, stored, input))
}

/** Changes the password of a session's account. All its sessions end; the returned one replaces the caller's. */
export async function changePassword(
  deps: AccountDeps,
  { owner: { ownerId, email }, device = null }: LiveSession & { device?: string | null },
  current: Secret,
  next: Secret,
): Promise<Session> {
  const stored = await store.findPassword(deps.db, ownerId)
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
  { owner, version, device }: Versioned & { device: string | null },
  passwordHash: string,
): Promise<Session> {
  const now = deps.clock.now()
  const next = await store.replacePassword(deps.db, { ownerId: owner.ownerId, version, passwordHash, now })
  if (next === null) throw wrongCurrentPassword()
  return beginSession(deps, owner, { version: next, device })
}

type PasswordDeps = Omit<AccountDeps, 'mailer'>

/** The version of an account's password, which was given again. Throws 400 on `field` where it is another one. */
export async function requirePassword(
  deps: PasswordDeps,
  { ownerId, email }: Pick<NewOwner, 'ownerId' | 'email'>,
  { field, password }: { field: string; password: Secret },
): Promise<number> {
  const stored = await store.findPassword(deps.db, ownerId)
  const isRight =
    stored !== null &&
    (await counted(deps, accountAttempt('change/address', email), (hasher) =>
      hasher.verify({ hash: stored.hash, password: password.reveal() }),
    ))
  if (!isRight) throw wrongOf(field)
  return stored.version
}

/** Sets an account's password for the operator and ends all its sessions; null when no account has this address. */
export async function resetPassword(
  deps: Pick<AccountDeps, 'db' | 'clock' | 'passwords'>,
  input: { email: string; password: Secret },
): Promise<{ ownerId: string; email: string } | null> {
  const email = normalizeEmail(input.email)
  const place = { key: 'operator', isKnown: true }
  const passwordHash = await deps.passwords.run(place, (hasher) => hasher.hash(input.password.reveal()))
  const set = await store.setPassword(deps.db, { email, passwordHash, now: deps.clock.now() })
  return set && { ...set, email }
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

type Versioned = Pick<store.StoredPassword, 'owner' | 'version'>

async function begin(
  deps: AccountDeps,
  { owner, version }: Versioned,
  { ip, device = null }: Pick<SignInInput, 'ip' | 'device'>,
): Promise<Session> {
  await rememberSignIn(deps, owner.ownerId, ip)
  return beginSession(deps, owner, { version, device })
}

const wrongOf = (field: string) => invalidField(field, 'is not the account’s password.')
const wrongCurrentPassword = () => wrongOf('currentPassword')
