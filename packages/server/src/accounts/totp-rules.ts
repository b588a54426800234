import { createHmac, timingSafeEqual } from 'node:crypto'
import { randomCharacters } from '../lib/random.ts'

// RFC 6238 as every app has it: SHA-1, six digits, a step of 30 seconds, and a clock that may be one step off.
const STEP_MS = 30_000
const DIGITS = 6
const DRIFT = [-1, 0, 1]

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const SECRET_LENGTH = 32

// Without I, O, 0 and 1, which look alike.
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const RECOVERY_LENGTH = 10
const RECOVERY_CODES = 8

/** A new secret: 160 random bits in base32. */
export function randomTotpSecret(): string {
  return randomCharacters(BASE32, SECRET_LENGTH)
}

export function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0')
}

export function stepAt(now: number): number {
  return Math.floor(now / STEP_MS)
}

/** The step around now that a code belongs to, later than the last one used; null where there is none. */
export function stepOfCode(
  secret: string,
  code: string,
  { now, lastStep }: { now: number; lastStep: number },
): number | null {
  const steps = DRIFT.map((drift) => stepAt(now) + drift)
  const found = steps.find((step) => step > lastStep && isEqual(codeOfStep(secret, step), code))
  return found ?? null
}

/** A code as it was typed, without spaces, hyphens and case. */
export function parseCode(typed: string): { kind: 'app' | 'recovery'; code: string } {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '')
  return { kind: /^\d{6}$/.test(code) ? 'app' : 'recovery', code }
}

/** New recovery codes, 50 random bits each, as they are stored and as they are shown. */
export function randomRecoveryCodes(): { code: string; shown: string }[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const code = randomCharacters(LETTERS, RECOVERY_LENGTH)
    return { code, shown: `${code.slice(0, RECOVERY_LENGTH / 2)}-${code.slice(RECOVERY_LENGTH / 2)}` }
  })
}

/** The address that an app scans. Issuer and account are shown there. */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const fields = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: String(DIGITS), period: '30' })
  return `otpauth://totp/${label}?${fields.toString().replaceAll('+', '%20')}`
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

function isEqual(own: string, given: string): boolean {
  const [a, b] = [Buffer.from(own), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
