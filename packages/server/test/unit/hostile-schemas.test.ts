import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkOf, fits, LONG } from './schema-support.ts'

describe('unique items', () => {
  const schema = { type: 'array', uniqueItems: true }

  test('are found among 50,000, whatever they are made of', () => {
    const numbers = Array.from({ length: LONG }, (_, index) => index)
    for (const items of [numbers, numbers.map((n) => ({ n })), numbers.map((n) => [String(n)])]) {
      expect(fits(schema, items)).toBe(true)
      expect(fits(schema, [...items, items[LONG - 1]])).toBe(false)
    }
  })

  test.each([
    [[1, '1'], true],
    [[1, 1.0], false],
    [[0, false, null, '', [], {}], true],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    [[{ a: 1 }, { a: 1, b: 2 }], true],
    [
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      true,
    ],
    [[['a,b'], ['a', 'b']], true],
    [[{ 'a":1,"b': 1 }, { a: 1, b: 1 }], true],
    [[[[]], [[]]], false],
    [[null, null], false],
  ])('of %j: %j', (items, isUnique) => {
    expect(fits(schema, items)).toBe(isUnique)
  })

  test('agree with a comparison of every pair', () => {
    const items = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 6 })
    fc.assert(
      fc.property(items, (values) => {
        const isUnique = values.every((value, at) => values.slice(at + 1).every((other) => !isEqual(value, other)))
        expect(fits(schema, values)).toBe(isUnique)
      }),
      { numRuns: 500, seed: 2 },
    )
  })

  test('are asked for by true alone, and are told of in words', () => {
    expect(fits({ type: 'array', uniqueItems: false }, [1, 1])).toBe(true)
    const check = checkOf({ type: 'object', properties: { tags: schema } })
    expect(check({ tags: ['a', 'a'] })).toEqual({
      'input.tags': ['must not hold the same item twice.'],
    })
  })
})

describe('references', () => {
  test('a list whose every item is a reference is checked whole', () => {
    const item = { type: 'object', properties: { next: { $ref: '#/$defs/item' } } }
    const list = { type: 'array', items: { $ref: '#/$defs/item' } }
    const check = checkOf({ type: 'object', properties: { list }, $defs: { item } })
    const items = Array.from({ length: 20_000 }, () => ({ next: {} }))
    expect(check({ list: items })).toBeNull()
    expect(check({ list: [...items, 7] })).toEqual({
      'input.list.20000': ['must be object.'],
    })
  })
})

describe('formats', () => {
  test.each([
    ['email', 'ada@example.com', 'ada'],
    ['date', '2026-01-31', '2026-02-30'],
    ['date-time', '2026-01-31T12:00:00Z', '2026-01-31'],
    ['time', '12:00:00Z', '25:00:00Z'],
    ['duration', 'P1DT2H', '1 day'],
    ['uri', 'https://shop.example.com/x', 'shop'],
    ['url', 'https://shop.example.com:8443/a?b#c', 'shop'],
    ['uuid', '123e4567-e89b-42d3-a456-426614174000', '123'],
    ['ipv4', '192.0.2.1', '192.0.2'],
    ['ipv6', '2001:db8::1', '2001:db8'],
    ['hostname', 'shop.example.com', '-shop-'],
    ['json-pointer', '/a/b', 'a/b'],
  ])('%s takes %s and refuses %s', (format, good, bad) => {
    expect(fits({ type: 'string', format }, good)).toBe(true)
    expect(fits({ type: 'string', format }, bad)).toBe(false)
  })

  test('that nobody knows say nothing', () => {
    expect(fits({ type: 'string', format: 'colour' }, 'anything')).toBe(true)
  })

  const FORMATS = [
    'email',
    'date',
    'date-time',
    'iso-date-time',
    'time',
    'iso-time',
    'duration',
    'uri',
    'uri-reference',
    'uri-template',
    'url',
    'uuid',
    'ipv4',
    'ipv6',
    'hostname',
    'json-pointer',
    'json-pointer-uri-fragment',
    'relative-json-pointer',
    'regex',
    'byte',
  ]
  const UNITS = [
    'a',
    '1',
    '-',
    '.',
    ':',
    '/',
    '@',
    '%41',
    'a.',
    'a-',
    '1:',
    '{a}',
    '\n',
    'a@a.',
    '::',
    '0',
    '~0/',
    'PT1H',
    ' ',
    'AAAA\n',
    '[',
    '(',
  ]

  test.each(FORMATS)('%s is judged over 50,000 characters of any kind', (format) => {
    for (const unit of UNITS) {
      const text = unit.repeat(LONG / unit.length)
      for (const value of [text, `${text}!`, `http://${text}`, `a@${text}`]) {
        expect(typeof fits({ type: 'string', format }, value)).toBe('boolean')
      }
    }
  })
})

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && isEqual(Reflect.get(one, name), Reflect.get(other, name)))
}
