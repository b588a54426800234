import { randomCharacters } from '../lib/random.ts'

/** How long a device login stays open. */
export const DEVICE_LOGIN_MS = 600_000

/** The minimum time between two polls of one device. */
export const POLL_MS = 5_000

// No vowels, so that no words appear, and no digits, which look like letters.
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export function randomUserCode(): string {
  return randomCharacters(LETTERS, LENGTH)
}

/** A user code as it was typed, without case, hyphen and spaces; null where it cannot be one. */
export function parseUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return code.length === LENGTH ? code : null
}

/** `WDJBMJHT` in the form that is shown: `WDJB-MJHT`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/** A name from outside, without characters that are invisible or change the direction of writing. */
export function cleanName(name: string): string {
  return name.replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ' ').trim() || 'unnamed machine'
}
