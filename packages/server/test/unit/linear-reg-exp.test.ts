import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileDeployed, schemaProblem } from '../../src/schemas/compile.ts'
import { linearRegExp } from '../../src/schemas/linear-reg-exp.ts'
import { fits, LONG } from './schema-support.ts'

describe('patterns that make a backtracking engine hang', () => {
  test.each([
    ['^(a+)+$', 'a', '!'],
    ['^(a*)*$', 'a', '!'],
    ['^(a|a)*$', 'a', '!'],
    ['^(a|aa)+$', 'a', '!'],
    ['^([a-zA-Z]+)*$', 'a', '1'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a', ''],
    ['(x+x+)+y', 'x', ''],
    ['^(?:.*a){20}$', 'a', '!'],
    ['(.*)*=.*', 'a', ''],
    ['\\s+$', ' ', 'x'],
    ['^(\\d+\\.?)+$', '1', 'x'],
    ['^([a-z0-9_.-]+)@(([a-z0-9-]+\\.)+)([a-z]{2,4})+$', 'a@a.', '!'],
    ['^(a?){500}a{500}$', 'a', ''],
  ])('%s runs to its end over 50,000 characters', (pattern, unit, end) => {
    const text = unit.repeat(LONG / unit.length) + end
    expect(typeof linearRegExp(pattern).test(text)).toBe('boolean')
    expect(fits({ type: 'string', pattern }, end === '' ? text : `${text}${end}`)).toBe(
      linearRegExp(pattern).test(`${text}${end}`),
    )
  })

  test('and as names of fields', () => {
    const value = { [`${'a'.repeat(LONG)}!`]: 1 }
    expect(fits({ type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } }, value)).toBe(true)
    expect(fits({ type: 'object', propertyNames: { pattern: '^(a+)+$' } }, value)).toBe(false)
  })

  // holds CAP-14
  test('a pattern that would grow beyond measure is refused when it is compiled', () => {
    for (const pattern of [
      'a{1000}'.repeat(9000),
      '((a{1,100}){1,100}){1,100}',
      '(x{500}){500}',
      '('.repeat(5000) + ')'.repeat(5000),
    ]) {
      const schema = { type: 'object', properties: { a: { pattern } } }
      const problem = schemaProblem(schema)
      if (problem === null) expect(compileDeployed(schema)({ a: 'x'.repeat(LONG) }, 'input')).toBeDefined()
      else expect(problem.length).toBeLessThan(600)
    }
  })
})

describe('patterns that no linear engine can run', () => {
  test.each([
    '(?=a)b',
    '(?!a)b',
    '(?<=a)b',
    '(?<!a)b',
    '^(?=.*[A-Z])(?=.*\\d).{8,}$',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '\\\\(?<n>a)\\k<n>',
    '^\\Q[[\\E$',
    '^.{0,2000}$',
    '[',
    '(',
    '*a',
    '[b-a]',
    '\\',
  ])('%s is refused, and named', (pattern) => {
    expect(() => linearRegExp(pattern)).toThrow(`the pattern “${pattern}”`)
    const inValue = schemaProblem({ type: 'object', properties: { a: { type: 'string', pattern } } })
    expect(inValue).toContain('linear time')
    expect(schemaProblem({ type: 'object', patternProperties: { [pattern]: {} } })).not.toBeNull()
  })

  test('a long one is named by its beginning', () => {
    expect(() => linearRegExp(`(?=${'a'.repeat(10_000)})`)).toThrow(/^.{1,400}$/)
  })

  test.each(['\\\\k<n>', 'k<n>', '\\\\\\\\k<'])('%s is no reference', (pattern) => {
    expect(linearRegExp(pattern).test(`\\\\\\k<n>`)).toBe(new RegExp(pattern).test(`\\\\\\k<n>`))
  })
})

describe('patterns mean what they mean in JavaScript', () => {
  const TEXTS = [
    '',
    'a',
    'A',
    'abc',
    ' ',
    '\t',
    'a\nb',
    '-',
    '_',
    'é',
    '😀',
    '٣',
    '5',
    'a.b',
    '2026-01-01',
    'ORD-1',
    '/',
    '\\',
    'K',
    '\u212a',
    '\u0001',
    'aé',
  ]

  test.each([
    '^a$',
    '^.$',
    '^..$',
    '\\s',
    '\\S',
    '\\d',
    '^\\d+$',
    '\\w',
    '\\W',
    '\\D',
    '^[^a]$',
    '\\bb',
    '\\B',
    '^\\p{L}$',
    '\\P{L}',
    '\\p{Lu}',
    '^\\u0041',
    '^\\x41$',
    '^\\u{1F600}$',
    '[\\w\\-]+',
    '^$',
    '',
    'a|b',
    '^(?:a|b)$',
    '\\.',
    '^[😀]$',
    '[\\s\\S]',
    '\\/',
    '^\\-$',
    '(?<y>a)',
    '^[a-z]+(-[a-z]+)*$',
    '[\\d.]',
    '\\f\\t\\r',
    '^[^\\n]*$',
    '\\_',
    '^ORD-[0-9]{1,6}$',
    '^(19|20)\\d\\d-[01]\\d-[0-3]\\d$',
    'a{2}',
    'b?c*',
    '^.+?$',
    '\\cA',
    '[a-zà-ü]',
  ])('%s', (pattern) => {
    const expected = new RegExp(pattern, /\\[-_]/.test(pattern) ? '' : 'u')
    const actual = linearRegExp(pattern)
    expect(TEXTS.filter((text) => actual.test(text))).toEqual(TEXTS.filter((text) => expected.test(text)))
  })

  test('any made of literals, classes, choices and repeats', () => {
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '\\w', '\\d', 'é'),
        fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
        fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{0,2}', '*?'))
          .map(([of, times]) => `(?:${of})${times}`),
      ),
    }))
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom(...'abcé1 '), maxLength: 8 }),
        fc.boolean(),
        (of, text, isWhole) => {
          const source = isWhole ? `^${of}$` : of
          expect(linearRegExp(source).test(text)).toBe(new RegExp(source, 'u').test(text))
        },
      ),
      { numRuns: 1000, seed: 1 },
    )
  })

  test('two patterns are never taken for each other', () => {
    const schema = { type: 'object', properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } }
    expect(fits(schema, { a: 'a', b: 'b' })).toBe(true)
    expect(fits(schema, { a: 'b', b: 'a' })).toBe(false)
  })
})

describe('white space', () => {
  const characters = Array.from({ length: 0x3_100 }, (_, code) => String.fromCodePoint(code))
    .concat('\ufeff', '\u{1f600}')
    .filter((character) => !/\p{Surrogate}/u.test(character))

  test.each(['^\\s$', '^\\S$', '^[\\s]$', '^[\\S]$', '^[^\\s]$', '^[^\\S]$', '^[a\\s-]$', '^\\\\s$', '^[\\]\\s]$'])(
    '%s means the same as in JavaScript',
    (pattern) => {
      const [ours, native] = [linearRegExp(pattern), new RegExp(pattern, 'u')]
      expect(characters.filter((character) => ours.test(character) !== native.test(character))).toEqual([])
    },
  )
})
