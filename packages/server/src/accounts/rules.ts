import type { BucketRate } from '../usage/token-bucket.js'
import { DEVICE_LOGIN_MS } from './device-login-rules.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** How long a session lasts after it was last renewed. */
export const SESSION_MS = 7 * DAY_MS

/** A session in use is renewed at most this often: more often would only cost writes. */
const RENEWAL_MS = DAY_MS

/** The use of a session, and of a key, is stored at most this often. */
const USE_MS = MINUTE_MS

export const MAX_SESSIONS = 100

/** How long a link that sets a forgotten password is valid. */
export const RESET_MS = 30 * MINUTE_MS

/** How long an invitation is open. */
export const INVITATION_MS = 7 * DAY_MS

/** Open invitations of an account. */
export const MAX_INVITATIONS = 20

export const MAX_MEMBERS = 50

/** How long a network is remembered from which an account's password was given. */
export const KNOWN_NETWORK_MS = 30 * DAY_MS

export const MAX_KNOWN_NETWORKS = 20

/** First bits of an IPv6 address that count as one network. Providers give a customer a /56 or a /48. */
export const IPV6_BITS = { attempts: 56, signUp: 48, hashing: 48 } as const

/** The rate of attempts at each kind of bucket: what is attempted, and what the bucket belongs to. */
export const ATTEMPT_RATES = {
  'sign-in/address': per(15 * MINUTE_MS, 10),
  'sign-in/network': per(15 * MINUTE_MS, 50),
  'sign-in/known': per(15 * MINUTE_MS, 10),
  'change/address': per(15 * MINUTE_MS, 10),
  // Of a million codes three are right at a time. A guesser has 50 in a month, whatever the time between them.
  'code/known': per(30 * DAY_MS, 50),
  'code/elsewhere': per(30 * DAY_MS, 50),
  'sign-up/network': per(60 * MINUTE_MS, 10),
  'reset/address': per(60 * MINUTE_MS, 5),
  'reset/network': per(60 * MINUTE_MS, 20),
  'reset-link/network': per(15 * MINUTE_MS, 50),
  'invite/account': per(60 * MINUTE_MS, 30),
  'invite/address': per(60 * MINUTE_MS, 5),
  'invite/mail': per(60 * MINUTE_MS, 10),
  'invite/network': per(60 * MINUTE_MS, 30),
  'invitation/network': per(15 * MINUTE_MS, 50),
  'device-code/network': per(15 * MINUTE_MS, 20),
  'device-code/service': per(DEVICE_LOGIN_MS, 5_000),
  'user-code/member': per(15 * MINUTE_MS, 20),
  'user-code/network': per(15 * MINUTE_MS, 50),
} as const satisfies Record<string, BucketRate>

function per(periodMs: number, units: number): BucketRate {
  return { unitMs: periodMs / units, burst: units }
}

/** Whether a use now is to be stored, `last` being the one that was stored last. */
export function isUseDue(last: number | null, now: number): boolean {
  return last === null || Math.abs(now - last) >= USE_MS
}

/** `90 seconds`, `6 minutes`, `15 hours`: never less than what a `Retry-After` of the same wait says. */
export function inWords(waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  if (seconds === 1) return 'a second'
  if (seconds < 120) return `${seconds} seconds`
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`
}

/** When a session that is used now ends; null where it was renewed less than a day ago and its end stays. */
export function renewedUntil(validUntil: number, now: number): number | null {
  const next = now + SESSION_MS
  return next - validUntil >= RENEWAL_MS ? next : null
}
