import { abbreviateKey, KEY_PREFIXES, keyChecksum, keyKindOf } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KINDS = ['account', 'deploy', 'public'] as const

const kind = fc.constantFrom(...KINDS)
const randomPart = fc.string({ unit: fc.constantFrom(...BASE62), minLength: 32, maxLength: 32 })
const key = fc.tuple(kind, randomPart).map(([of, random]) => {
  const body = KEY_PREFIXES[of] + random
  return { of, text: body + keyChecksum(body) }
})

function withCharacter(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1)
}

describe('the checksum', () => {
  // holds KEY-01
  test('is the CRC-32 of what precedes it, in six base62 digits', () => {
    // 0xcbf43926, the check value that every description of this CRC gives.
    expect(keyChecksum('123456789')).toBe('3jZRME')
    expect(keyChecksum('')).toBe('000000')
  })

  test('tells a well-formed key’s kind', () => {
    fc.assert(
      fc.property(key, ({ of, text }) => {
        expect(text).toHaveLength(45)
        expect(keyKindOf(text)).toBe(of)
      }),
      { numRuns: 500, seed: 1 },
    )
  })

  // holds KEY-02
  test('catches every single changed character, wherever it stands and whatever it becomes', () => {
    fc.assert(
      fc.property(key, ({ text }) => {
        for (let at = 0; at < text.length; at += 1) {
          for (const character of `${BASE62}_-. é`) {
            if (character !== text[at]) expect(keyKindOf(withCharacter(text, at, character))).toBeNull()
          }
        }
      }),
      { numRuns: 8, seed: 2 },
    )
  })

  test('catches every swap of two neighbours', () => {
    fc.assert(
      fc.property(key, ({ text }) => {
        for (let at = 0; at + 1 < text.length; at += 1) {
          const [first = '', second = ''] = text.slice(at, at + 2)
          if (first !== second) expect(keyKindOf(text.slice(0, at) + second + first + text.slice(at + 2))).toBeNull()
        }
      }),
      { numRuns: 500, seed: 3 },
    )
  })

  test('catches a lost, a doubled and an added character', () => {
    fc.assert(
      fc.property(key, fc.nat({ max: 44 }), ({ text }, at) => {
        expect(keyKindOf(text.slice(0, at) + text.slice(at + 1))).toBeNull()
        expect(keyKindOf(text.slice(0, at) + text.charAt(at) + text.slice(at))).toBeNull()
        for (const added of [`${text} `, ` ${text}`, `${text}\n`, `"${text}"`]) expect(keyKindOf(added)).toBeNull()
      }),
      { numRuns: 300, seed: 4 },
    )
  })
})

test.each(['', 'svc_sk_', 'svc_xk_', 'Bearer', 'svc_sk_…', 'sk_live_abc', 'svc_sk_'.padEnd(45, '0')])(
  '%j is no key',
  (text) => {
    expect(keyKindOf(text)).toBeNull()
  },
)

test('anything at all is judged without a throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      expect(keyKindOf(text)).toBeNull()
    }),
    { numRuns: 500, seed: 5 },
  )
})

// holds RT-13
test('a key is shown by its first eleven characters and its last four', () => {
  fc.assert(
    fc.property(key, ({ text }) => {
      const shown = abbreviateKey(text)
      expect(shown).toBe(`${text.slice(0, 11)}…${text.slice(41)}`)
      expect(shown).toHaveLength(16)
    }),
    { numRuns: 100, seed: 6 },
  )
})
