import type { Session } from '@svc/contract'
import type { Deps } from '../deps.ts'
import { afterCommit, invalidField, wrongPassword } from '../errors.ts'
import type { Secret } from '../secrets/secret.ts'
import { normalizeEmail } from './accounts.ts'
import { attemptSignIn, attemptSignUp } from './attempts.ts'
import { findPassword, findPasswordByEmail, openAccount, replacePassword, setPassword } from './password-store.ts'
import { beginSession, type LiveSession, sessionOf } from './sessions.ts'

type SignInDeps = Pick<Deps, 'db' | 'clock' | 'keyring' | 'newId' | 'auth'>

interface SignInInput {
  email: string
  password: Secret
  /** Where the request came from. */
  ip: string
}

/** Opens an account on the free plan and begins its first session. An address that has an account is refused. */
export async function signUp(deps: SignInDeps, input: SignInInput): Promise<Session> {
  await attemptSignUp(deps, input)
  const ownerId = deps.newId('owner')
  const email = normalizeEmail(input.email)
  const passwordHash = await deps.auth.hash(input.password)
  const owner = { ownerId, email, tier: 'free' as const, createdAt: deps.clock.now() }
  const version = await openAccount(deps.db, owner, passwordHash)
  if (version === null) {
    const way = 'Sign in; where its password is lost or was never set, the operator sets one.'
    throw invalidField('email', `has an account already. ${way}`)
  }
  return afterCommit(beginSession(deps, ownerId, version))
}

/** Begins a session. An unknown address and a wrong password are one and the same 401, after the same work. */
export async function signIn(deps: SignInDeps, input: SignInInput): Promise<Session> {
  const email = normalizeEmail(input.email)
  await attemptSignIn(deps, { email, ip: input.ip })
  // Read before the password is looked at: a session can only be bound to an older one than was given, and is then void.
  const stored = await findPasswordByEmail(deps.db, email)
  const start = { now: deps.clock.now(), passwordVersion: stored?.version ?? 0 }
  const handle = await deps.auth.signIn({ email, password: input.password }, start)
  if (handle === null) throw wrongPassword()
  return sessionOf(deps, handle)
}

/** Changes the password of a session's account. All its sessions end; the one that is returned takes this one's place. */
export async function changePassword(
  deps: SignInDeps,
  session: LiveSession,
  input: { currentPassword: Secret; newPassword: Secret; ip: string },
): Promise<Session> {
  const { ownerId, email } = session.owner
  await attemptSignIn(deps, { email, ip: input.ip })
  const stored = await findPassword(deps.db, ownerId)
  if (!stored || !(await deps.auth.verify(stored.hash, input.currentPassword))) throw notThePassword()
  const passwordHash = await deps.auth.hash(input.newPassword)
  const now = deps.clock.now()
  const version = await replacePassword(deps.db, { ownerId, version: stored.version, passwordHash, now })
  if (version === null) throw notThePassword()
  return afterCommit(beginSession(deps, ownerId, version))
}

/** Sets an account's password on the operator's word and ends all its sessions; null when no account has this address. */
export async function resetPassword(
  deps: Pick<Deps, 'db' | 'clock' | 'auth'>,
  input: { email: string; password: Secret },
): Promise<{ ownerId: string; email: string } | null> {
  const email = normalizeEmail(input.email)
  const passwordHash = await deps.auth.hash(input.password)
  const set = await setPassword(deps.db, { email, passwordHash, now: deps.clock.now() })
  return set && { ownerId: set.ownerId, email }
}

function notThePassword(): Error {
  return invalidField('currentPassword', 'is not the account’s password.')
}
