import type { JsonObject } from '@svc/contract'
import type { Random } from '../../support/random.ts'

/** Texts that break what is careless with texts. */
export const NAUGHTY_TEXTS: readonly [string, ...string[]] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '-0',
  '1e400',
  '0x7f',
  '../../../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '..%c0%af',
  '\\\\host\\share',
  "' or 1=1 --",
  "'; drop table runtimes; --",
  '" or ""="',
  '$1',
  '#{7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  'a\r\nset-cookie: a=b',
  'a\nb',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\u0130\u0131',
  'ﬃ',
  'Ａ',
  '💥',
  '👩‍👩‍👧‍👦',
  'e\u0301'.repeat(50),
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘',
  'a'.repeat(9_000),
  'https://shop.example.com:99999/',
  'http://[::1',
  '2026-02-30',
  '9'.repeat(400),
]

/** Keys that lead to a prototype where somebody copies carelessly. */
export const PROTOTYPE_KEYS: readonly [string, ...string[]] = ['__proto__', 'constructor', 'prototype']

/** A value of any kind, small for the most part. */
export function drawValue(random: Random, depth = 3): unknown {
  const kinds: readonly [() => unknown, ...(() => unknown)[]] = [
    () => random.pick(NAUGHTY_TEXTS),
    () => random.bytes(random.int(0, 24)).toString('latin1'),
    () => random.pick([0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324]),
    () => random.pick([null, true, false]),
    () => [],
    () => ({}),
    () => drawList(random, depth),
    () => drawObject(random, depth),
  ]
  return random.pick(kinds)()
}

function drawList(random: Random, depth: number): unknown[] {
  if (depth === 0) return []
  return Array.from({ length: random.int(1, 4) }, () => drawValue(random, depth - 1))
}

function drawObject(random: Random, depth: number): JsonObject {
  if (depth === 0) return {}
  const names = Array.from({ length: random.int(1, 4) }, () =>
    random.chance(0.3) ? random.pick(PROTOTYPE_KEYS) : random.pick(NAUGHTY_TEXTS),
  )
  // Not a literal: only so does the key “__proto__” become one.
  return Object.fromEntries(names.map((name) => [name, drawValue(random, depth - 1)]))
}

/** JSON text that a parser takes and what comes after it should not; or that a parser should not take either. */
export function drawText(random: Random): string {
  const levels = random.pick([33, 200, 5_000, 100_000])
  const texts: readonly [() => string, ...(() => string)[]] = [
    () => '['.repeat(levels) + ']'.repeat(levels),
    () => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
    () => `[${'0,'.repeat(60_000)}0]`,
    () => `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":${index}`).join()}}`,
    () => `{"n":1e${random.int(300, 9_999)}}`,
    () => `{"n":${'9'.repeat(random.int(20, 5_000))}}`,
    () => '{"a":1,"a":2}',
    () => '{"__proto__":{"polluted":true}}',
    () => '{"\\u005f_proto__":{"polluted":true}}',
    () => '{"constructor":{"prototype":{"polluted":true}}}',
    () => '{"a":"\\ud800"}',
    () => '{"a":"\\u0000"}',
    () => '\ufeff{}',
    () => '{"a":1}}',
    () => '{"a":01}',
    () => "{'a':1}",
    () => '{"a":NaN}',
    () => '/* */{}',
    () => '',
    () => ' '.repeat(3_000),
    () => 'null',
    () => '"text"',
    () => '7',
    () => '[]',
  ]
  return random.pick(texts)()
}
