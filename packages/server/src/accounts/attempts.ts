import { limited } from '../errors.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { networkOf } from '../lib/network.ts'
import { takeFromBuckets } from '../usage/take-from-buckets.js'
import { isKnownNetwork, rememberNetwork, updateBuckets } from './attempts-store.ts'
import type { Member } from './member-store.ts'
import type { QueuePlace } from './password-queue.ts'
import { ATTEMPT_RATES, IPV6_BITS, inWords, KNOWN_NETWORK_MS } from './rules.ts'

type CountingDeps = Pick<CoreDeps, 'db' | 'clock' | 'keyring'>

/** The buckets that an attempt draws one unit from: the kind of each, and what it belongs to. */
type Buckets = readonly (readonly [kind: keyof typeof ATTEMPT_RATES, subject: string])[]

export interface PasswordAttempt {
  place: QueuePlace
  buckets: Buckets
}

/**
 * An attempt to sign in. From a network that gave the member's password lately it has a bucket and a queue that attempts
 * from elsewhere cannot fill. The same work is done where there is no member.
 */
export async function signInAttempt(
  deps: CoreDeps,
  { memberId, email, ip }: { memberId: string | null; email: string; ip: string },
): Promise<PasswordAttempt> {
  const since = deps.clock.now() - KNOWN_NETWORK_MS
  const isKnown = await isKnownNetwork(deps.db, knownNetwork(deps, memberId ?? '', ip), since)
  const network = networkOf(ip, IPV6_BITS.attempts)
  if (isKnown) return accountAttempt('sign-in/known', `${email} ${network}`)
  return {
    place: { key: networkOf(ip, IPV6_BITS.hashing), isKnown },
    buckets: [
      ['sign-in/address', email],
      ['sign-in/network', network],
    ],
  }
}

/** An attempt with a bucket and a queue that others without access to the account cannot fill. */
export function accountAttempt(kind: 'sign-in/known' | 'change/address', subject: string): PasswordAttempt {
  return { place: { key: `${kind} ${subject}`, isKnown: true }, buckets: [[kind, subject]] }
}

/** Counts an attempt, whatever its outcome: draws one unit from each bucket, or none from any and throws 429. */
export async function countAttempt(deps: CountingDeps, buckets: Buckets): Promise<void> {
  const granted = await draw(deps, buckets)
  if (granted.ok) return
  const wait = inWords(granted.retryAfterMs)
  const message = TOO_MANY[granted.limit]?.(wait) ?? `Too many attempts. Try again in ${wait}.`
  throw limited(message, granted.retryAfterMs)
}

const TOO_MANY: Partial<Record<keyof typeof ATTEMPT_RATES, (wait: string) => string>> = {
  'code/known': (wait) => `Too many wrong codes. Try again in ${wait}.`,
  'code/elsewhere': (wait) =>
    `Too many wrong codes. Try again in ${wait}, or from a network that you signed in from lately.`,
}

/** Counts as {@link countAttempt} does; false in place of the 429. */
export async function isWithinRate(deps: CountingDeps, buckets: Buckets): Promise<boolean> {
  return (await draw(deps, buckets)).ok
}

/**
 * Counts a guess at the second factor, which is given back where it is right. Attempts from elsewhere, by whoever knows the
 * password alone, cannot fill the bucket of sessions and of networks that the member signed in from lately.
 */
export async function countGuess(
  deps: CountingDeps,
  { memberId, isKnown }: { memberId: string; isKnown: boolean },
  judge: () => Promise<boolean>,
): Promise<boolean> {
  const buckets: Buckets = [[isKnown ? 'code/known' : 'code/elsewhere', memberId]]
  await countAttempt(deps, buckets)
  const isRight = await judge()
  if (isRight) await giveBack(deps, buckets)
  return isRight
}

function draw(deps: CountingDeps, buckets: Buckets) {
  const draws = drawsOf(deps, buckets)
  const subjects = draws.map(({ bucket }) => bucket)
  return updateBuckets(deps.db, subjects, (fullAt) => takeFromBuckets(fullAt, draws, deps.clock.now()))
}

async function giveBack(deps: CountingDeps, buckets: Buckets): Promise<void> {
  const draws = drawsOf(deps, buckets)
  const subjects = draws.map(({ bucket }) => bucket)
  await updateBuckets(deps.db, subjects, (fullAt) => {
    for (const { bucket, rate } of draws) fullAt.set(bucket, Math.max(0, (fullAt.get(bucket) ?? 0) - rate.unitMs))
  })
}

function drawsOf({ keyring }: CountingDeps, buckets: Buckets) {
  return buckets.map(([kind, subject]) => {
    // Hashed under the master key: a plain hash of an address could be found by trying addresses.
    const bucket = keyring.hash(`throttle:${kind}:${subject}`)
    return { limit: kind, bucket, rate: ATTEMPT_RATES[kind] }
  })
}

/** Remembers that the password of this member was given from this address. */
export function rememberSignIn(deps: CoreDeps, { memberId, ownerId }: Member, ip: string): Promise<void> {
  return rememberNetwork(deps.db, { ...knownNetwork(deps, memberId, ip), ownerId }, deps.clock.now())
}

function knownNetwork({ keyring }: CoreDeps, memberId: string, ip: string) {
  const network = networkOf(ip, IPV6_BITS.attempts)
  return { memberId, network: keyring.hash(`known-network:${memberId}:${network}`) }
}
