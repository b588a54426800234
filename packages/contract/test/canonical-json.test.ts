import { createHash } from 'node:crypto'
import { canonicalDigest, canonicalJson, Preview, previewHash } from '@svc/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'

// The sample of RFC 8785, section 3.2.2 and 3.2.3.
test('the sample of RFC 8785 is written as the RFC writes it', () => {
  const sample = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
      '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  )
  expect(canonicalJson(sample)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
})

test('keys are sorted by UTF-16 code units, also those that look like numbers', () => {
  const sample = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 }
  expect(Object.values(JSON.parse(canonicalJson(sample)))).toHaveLength(7)
  expect([...canonicalJson(sample).matchAll(/:(\d)/g)].map(([, value]) => value).join('')).toBe('2467153')
  expect(canonicalJson({ b: 1, 9: 2, 10: 3, a: { z: [], A: {} } })).toBe('{"10":3,"9":2,"a":{"A":{},"z":[]},"b":1}')
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2}'))).toBe('{"__proto__":2,"b":1}')
})

test.each([
  [0, '0'],
  [-0, '0'],
  [5e-324, '5e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [9007199254740992, '9007199254740992'],
  [295147905179352830000, '295147905179352830000'],
  [9.999999999999997e22, '9.999999999999997e+22'],
  [1e23, '1e+23'],
])('the number %d of the appendix is %s', (number, text) => {
  expect(canonicalJson(number)).toBe(text)
})

test('what has no form is refused', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', { '\udc00': 1 }, [undefined], 1n, () => 1]) {
    expect(() => canonicalJson(value)).toThrow(TypeError)
  }
})

test('the order of keys and what JSON leaves out change nothing; every other difference does', async () => {
  const one = await canonicalDigest({ a: 1, b: { c: 'é', d: undefined } })
  expect(await canonicalDigest({ b: { c: 'é' }, a: 1 })).toBe(one)
  expect(one).toBe(createHash('sha256').update('{"a":1,"b":{"c":"é"}}').digest('hex'))
  expect(await canonicalDigest({ b: { c: 'e\u0301' }, a: 1 })).not.toBe(one)
})

test('any JSON value is read back as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('two previews have one hash exactly where they say the same', async () => {
  const preview = Preview.parse({ title: 'Refund', lines: ['Order A-17'], amount: { value: 12.5, currency: 'EUR' } })
  const same = { amount: { currency: 'EUR', value: 12.5 }, lines: ['Order A-17'], title: 'Refund' }
  expect(await previewHash(same)).toBe(await previewHash(preview))
  expect(await previewHash(preview)).toMatch(/^[0-9a-f]{64}$/)
  const others = [
    { ...preview, title: 'Refund ' },
    { ...preview, lines: [] },
    { ...preview, amount: { value: 12.51, currency: 'EUR' } },
    { ...preview, confirm: true },
  ]
  const hashes = await Promise.all([preview, ...others].map(previewHash))
  expect(new Set(hashes).size).toBe(5)
})
