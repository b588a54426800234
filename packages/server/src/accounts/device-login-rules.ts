import { randomInt } from 'node:crypto'
import type { BucketRate } from '../usage/token-bucket.js'

const MINUTE_MS = 60_000

/** How long a device may wait for its confirmation. */
export const DEVICE_LOGIN_MS = 10 * MINUTE_MS

/** The least time between two polls of one device. */
export const POLL_MS = 5_000

/** Device codes that are given out: to one network, and to all. */
export const DEVICE_CODE_RATES = {
  network: { unitMs: (15 * MINUTE_MS) / 20, burst: 20 },
  service: { unitMs: DEVICE_LOGIN_MS / 5_000, burst: 5_000 },
} as const satisfies Record<string, BucketRate>

/** User codes that are typed in, right or wrong: by one account, and from one network. */
export const USER_CODE_RATES = {
  account: { unitMs: (15 * MINUTE_MS) / 20, burst: 20 },
  network: { unitMs: (15 * MINUTE_MS) / 50, burst: 50 },
} as const satisfies Record<string, BucketRate>

// No vowels, so that no words appear, and no digits, which look like letters.
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export function drawUserCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('')
}

/** A user code as it was typed, without case, hyphen and spaces; null where it cannot be one. */
export function bareUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return code.length === LENGTH ? code : null
}

/** `WDJBMJHT` as it is shown: `WDJB-MJHT`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/** A name that others gave, without marks that cannot be seen or turn the direction of writing. */
export function cleanName(name: string): string {
  return name.replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ' ').trim() || 'unnamed machine'
}
