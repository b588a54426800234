import { describe, expect, test } from 'vitest'
import {
  codeOfStep,
  parseCode,
  randomRecoveryCodes,
  randomTotpSecret,
  stepAt,
  stepOfCode,
  totpUri,
} from '../../src/accounts/totp-rules.ts'

/** “12345678901234567890” in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes of an app', () => {
  // The vectors of RFC 6238 for SHA-1, whose last six digits are the code of six digits.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %i seconds: %s', (seconds, code) => {
    expect(codeOfStep(SECRET, stepAt(seconds * 1000))).toBe(code)
  })

  test('are of this step, the one before or the one after, and later than the last one used', () => {
    const now = 1_800_000_015_000
    const step = stepAt(now)
    const judged = (distance: number, lastStep = 0) =>
      stepOfCode(SECRET, codeOfStep(SECRET, step + distance), { now, lastStep })
    expect([-2, -1, 0, 1, 2].map((distance) => judged(distance))).toEqual([null, step - 1, step, step + 1, null])
    expect([-1, 0, 1].map((distance) => judged(distance, step))).toEqual([null, null, step + 1])
  })

  test('are read with spaces and hyphens; what is not six digits is a recovery code', () => {
    expect(parseCode(' 123 456 ')).toEqual({ kind: 'app', code: '123456' })
    expect(parseCode('abcde-fghjk')).toEqual({ kind: 'recovery', code: 'ABCDEFGHJK' })
    for (const typed of ['12345', '1234567', '', '１２３４５６']) expect(parseCode(typed).kind).toBe('recovery')
  })
})

test('a secret is 160 random bits in base32', () => {
  const secrets = Array.from({ length: 100 }, randomTotpSecret)
  expect(new Set(secrets).size).toBe(100)
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(new Set(secrets.join('')).size).toBe(32)
})

test('recovery codes are eight, each of its own', () => {
  const codes = randomRecoveryCodes()
  expect(new Set(codes.map(({ code }) => code)).size).toBe(8)
  for (const { code, shown } of codes) {
    expect(shown).toMatch(/^[A-Z2-9]{5}-[A-Z2-9]{5}$/)
    expect(parseCode(shown.toLowerCase())).toEqual({ kind: 'recovery', code })
  }
})

test('the address for an app holds the secret, the issuer and the account, escaped', () => {
  const uri = totpUri(SECRET, { issuer: 'svc.test', account: 'ada+a&b@example.com' })
  expect(uri).toBe(
    `otpauth://totp/svc.test:ada%2Ba%26b%40example.com?secret=${SECRET}&issuer=svc.test&algorithm=SHA1&digits=6&period=30`,
  )
})
