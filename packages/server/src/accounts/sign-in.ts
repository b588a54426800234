import type { Session } from '@svc/contract'
import type { Deps } from '../deps.ts'
import { afterCommit, invalidField, wrongPassword } from '../errors.ts'
import type { Secret } from '../secrets/secret.ts'
import { normalizeEmail } from './accounts.ts'
import { changeAttempt, countAttempt, noteSignIn, signInAttempt, signUpAttempt } from './attempts.ts'
import {
  findPassword,
  findPasswordByEmail,
  openAccount,
  replacePassword,
  type StoredPassword,
  setPassword,
} from './password-store.ts'
import { beginSession, type LiveSession } from './sessions.ts'

type SignInDeps = Pick<Deps, 'db' | 'clock' | 'keyring' | 'newId' | 'passwords'>

interface SignInInput {
  email: string
  password: Secret
  /** Where the request came from. */
  ip: string
}

/** Opens an account on the free plan and begins its first session. An address that has an account is refused. */
export async function signUp(deps: SignInDeps & Pick<Deps, 'room'>, input: SignInInput): Promise<Session> {
  deps.room.require()
  const attempt = signUpAttempt(deps, input.ip)
  const passwordHash = await deps.passwords.inTurn(attempt.turn, async (hashes) => {
    await countAttempt(deps, attempt)
    return hashes.hash(input.password)
  })
  return afterCommit(open(deps, input, passwordHash))
}

async function open(deps: SignInDeps, { ip, ...input }: SignInInput, passwordHash: string): Promise<Session> {
  const email = normalizeEmail(input.email)
  const owner = { ownerId: deps.newId('owner'), email, tier: 'free' as const, createdAt: deps.clock.now() }
  const version = await openAccount(deps.db, owner, passwordHash)
  if (version === null) {
    const way = 'Sign in; where its password is lost or was never set, the operator sets one.'
    throw invalidField('email', `has an account already. ${way}`)
  }
  return begin(deps, { owner, version }, ip)
}

async function begin(
  deps: SignInDeps,
  { owner, version }: Pick<StoredPassword, 'owner' | 'version'>,
  ip: string,
): Promise<Session> {
  await noteSignIn(deps, { ownerId: owner.ownerId, ip })
  return beginSession(deps, owner, version)
}

/** Begins a session. An unknown address and a wrong password are one and the same 401, after the same work. */
export async function signIn(deps: SignInDeps, input: SignInInput): Promise<Session> {
  const email = normalizeEmail(input.email)
  // Read first: between an attempt that is counted and the password that it is for, nothing must fail.
  const stored = await findPasswordByEmail(deps.db, email)
  const attempt = await signInAttempt(deps, { ownerId: stored?.owner.ownerId ?? null, email, ip: input.ip })
  const isRight = await deps.passwords.inTurn(attempt.turn, async (hashes) => {
    await countAttempt(deps, attempt)
    if (stored) return hashes.verify(stored.hash, input.password)
    await hashes.hash(input.password)
    return false
  })
  if (!stored || !isRight) throw wrongPassword()
  return afterCommit(begin(deps, stored, input.ip))
}

/** Changes the password of a session's account. All its sessions end; the one that is returned takes this one's place. */
export async function changePassword(
  deps: SignInDeps,
  session: LiveSession,
  input: { currentPassword: Secret; newPassword: Secret },
): Promise<Session> {
  const { ownerId, email } = session.owner
  const stored = await findPassword(deps.db, ownerId)
  if (!stored) throw notThePassword()
  const attempt = changeAttempt(deps, email)
  const passwordHash = await deps.passwords.inTurn(attempt.turn, async (hashes) => {
    await countAttempt(deps, attempt)
    if (!(await hashes.verify(stored.hash, input.currentPassword))) throw notThePassword()
    return hashes.hash(input.newPassword)
  })
  return afterCommit(replace(deps, stored, passwordHash))
}

async function replace(deps: SignInDeps, { owner, version }: StoredPassword, passwordHash: string): Promise<Session> {
  const { ownerId } = owner
  const next = await replacePassword(deps.db, { ownerId, version, passwordHash, now: deps.clock.now() })
  if (next === null) throw notThePassword()
  return beginSession(deps, owner, next)
}

const OPERATOR = { key: 'operator', isKnown: true }

/** Sets an account's password on the operator's word and ends all its sessions; null when no account has this address. */
export async function resetPassword(
  deps: Pick<Deps, 'db' | 'clock' | 'passwords'>,
  input: { email: string; password: Secret },
): Promise<{ ownerId: string; email: string } | null> {
  const email = normalizeEmail(input.email)
  const passwordHash = await deps.passwords.inTurn(OPERATOR, (hashes) => hashes.hash(input.password))
  const set = await setPassword(deps.db, { email, passwordHash, now: deps.clock.now() })
  return set && { ownerId: set.ownerId, email }
}

function notThePassword(): Error {
  return invalidField('currentPassword', 'is not the account’s password.')
}
