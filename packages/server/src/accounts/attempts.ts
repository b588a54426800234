import type { Deps } from '../deps.ts'
import { limited } from '../errors.ts'
import { networkOf } from '../lib/network.ts'
import { DEVICE_CODE_RATES, USER_CODE_RATES } from './device-login-rules.ts'
import { isKnownNetwork, rememberNetwork } from './network-store.ts'
import type { HashTurn } from './password-queue.ts'
import { type Attempt, IPV6_BITS, KNOWN_NETWORK_MS, SIGN_IN_RATES, SIGN_UP_RATE } from './rules.ts'
import { drawAttempts } from './throttle-store.ts'

type AttemptDeps = Pick<Deps, 'db' | 'clock' | 'keyring'>

/** The buckets that an attempt draws from. */
interface Draws {
  draws: readonly Attempt[]
}

/** One try at a password: where it waits for its hash, and the buckets that it draws from. */
export interface PasswordAttempt extends Draws {
  turn: HashTurn
}

/**
 * An attempt to sign in. Where this network gave the account's password lately, the attempt has a bucket and a queue that
 * attempts from elsewhere cannot fill. The same work is done where there is no account.
 */
export async function signInAttempt(
  deps: AttemptDeps,
  { ownerId, email, ip }: { ownerId: string | null; email: string; ip: string },
): Promise<PasswordAttempt> {
  const network = networkOf(ip, IPV6_BITS.attempts)
  const isKnown = await isKnownNetwork(deps.db, {
    ownerId: ownerId ?? '',
    network: knownNetwork(deps, ownerId ?? '', network),
    since: deps.clock.now() - KNOWN_NETWORK_MS,
  })
  if (isKnown) return ownAttempt(deps, 'sign-in/known', `${email} ${network}`)
  return {
    turn: { key: networkOf(ip, IPV6_BITS.hashing), isKnown },
    draws: [
      { subject: subject(deps, 'sign-in/address', email), rate: SIGN_IN_RATES.address },
      { subject: subject(deps, 'sign-in/network', network), rate: SIGN_IN_RATES.network },
    ],
  }
}

/** An attempt to change the password of a session's account: nobody without a session draws from its bucket. */
export function changeAttempt(deps: AttemptDeps, email: string): PasswordAttempt {
  return ownAttempt(deps, 'change/address', email)
}

/** An attempt to open an account. */
export function signUpAttempt(deps: AttemptDeps, ip: string): PasswordAttempt {
  const network = networkOf(ip, IPV6_BITS.signUp)
  return {
    turn: { key: networkOf(ip, IPV6_BITS.hashing), isKnown: false },
    draws: [{ subject: subject(deps, 'sign-up/network', network), rate: SIGN_UP_RATE }],
  }
}

/** A request for a device code. The bucket of the whole service bounds how many codes wait. */
export function deviceCodeAttempt(deps: AttemptDeps, ip: string): Draws {
  const network = networkOf(ip, IPV6_BITS.signUp)
  return {
    draws: [
      { subject: subject(deps, 'device-code/network', network), rate: DEVICE_CODE_RATES.network },
      { subject: subject(deps, 'device-code/service', ''), rate: DEVICE_CODE_RATES.service },
    ],
  }
}

/** A user code that an owner types in. */
export function userCodeAttempt(deps: AttemptDeps, { ownerId, ip }: { ownerId: string; ip: string }): Draws {
  const network = networkOf(ip, IPV6_BITS.attempts)
  return {
    draws: [
      { subject: subject(deps, 'user-code/account', ownerId), rate: USER_CODE_RATES.account },
      { subject: subject(deps, 'user-code/network', network), rate: USER_CODE_RATES.network },
    ],
  }
}

/** Counts an attempt, whatever comes of it. Throws 429 once there were too many. */
export async function countAttempt(deps: AttemptDeps, { draws }: Draws): Promise<void> {
  const drawn = await drawAttempts(deps.db, draws, deps.clock.now())
  if (!drawn.ok) throw limited('Too many attempts. Wait before the next one.', drawn.retryAfterMs)
}

/** Notes that the password of this account was given from this address. */
export function noteSignIn(deps: AttemptDeps, { ownerId, ip }: { ownerId: string; ip: string }): Promise<void> {
  const network = knownNetwork(deps, ownerId, networkOf(ip, IPV6_BITS.attempts))
  return rememberNetwork(deps.db, { ownerId, network, seenAt: deps.clock.now() })
}

function ownAttempt(deps: AttemptDeps, kind: string, value: string): PasswordAttempt {
  const key = subject(deps, kind, value)
  return { turn: { key, isKnown: true }, draws: [{ subject: key, rate: SIGN_IN_RATES.address }] }
}

// Under the master key: a plain hash of an address could be found by trying addresses.
function subject(deps: AttemptDeps, kind: string, value: string): string {
  return deps.keyring.hash(`throttle:${kind}:${value}`)
}

function knownNetwork(deps: AttemptDeps, ownerId: string, network: string): string {
  return deps.keyring.hash(`known-network:${ownerId}:${network}`)
}
