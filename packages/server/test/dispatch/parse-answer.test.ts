import { describe, expect, test } from 'vitest'
import { FAILURES } from '../../src/dispatch/failures.ts'
import { parseAnswer } from '../../src/dispatch/parse-answer.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { measureJson } from '../../src/lib/json-scan.ts'

function nestsDeeperThan(text: string, levels: number): boolean {
  return measureJson(text, { depth: levels, values: Number.POSITIVE_INFINITY }).depth > levels
}

const LIMITS = { responseValues: 1_000_000 }

function parse(text: string) {
  return parseAnswer(Buffer.from(text), LIMITS)
}

describe('answers that are understood', () => {
  // holds OUT-03
  test.each([
    ['{"output":{"price":1}}', { price: 1 }],
    ['{"output":null}', null],
    ['{"output":false,"error":null}', false],
    [' \n{"output":"ok"}\n ', 'ok'],
    ['\uFEFF{"output":1}', 1],
    ['{"output":1,"output":2}', 2],
    ['{"output":[],"anything":{"else":true}}', []],
  ])('%j', (text, output) => {
    expect(parse(text)).toEqual({ ok: true, output: JsonDocument.of(output) })
  })

  test('keys that name prototypes stay keys and change nothing', () => {
    const parsed = parse(
      '{"output":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}},"__proto__":1}',
    )
    if (!parsed.ok) throw new Error(parsed.failure.message)
    expect(parsed.output.text).toBe('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}')
    expect({}).not.toHaveProperty('isAdmin')
  })
})

describe('failures that the capability reports', () => {
  test.each([
    ['{"output":null,"error":{"message":"Out of stock."}}', 'Out of stock.'],
    ['{"output":null,"error":"Out of stock."}', 'Out of stock.'],
    ['{"output":{"some":"thing"},"error":{"message":"No.","stack":"at line 1"}}', 'No.'],
    ['{"output":null,"error":""}', 'The capability failed.'],
    ['{"output":null,"error":{"message":" a\\u0000b "}}', 'ab'],
  ])('%j', (text, message) => {
    expect(parse(text)).toEqual({ ok: false, failure: { message, transport: 'worked', reported: 'failed' } })
  })

  test('an outcome that the endpoint does not know is none', () => {
    const error = { message: 'It was begun.', code: 'outcome_unknown' }
    expect(parse(JSON.stringify({ output: null, error }))).toEqual({
      ok: false,
      failure: { message: 'It was begun.', transport: 'worked', reported: 'unknown' },
    })
  })
})

describe('answers that cannot be used', () => {
  test.each(
    [
      [
        '',
        'nothing',
        'null',
        'true',
        '1',
        '"output"',
        '[]',
        '[{"output":1}]',
        '{}',
        '{"result":1}',
        '{"error":"no output"}',
        '{"output":NaN}',
      ],
      ['{"output":1', '{"output":1}}', "{'output':1}", '{"output":undefined}', '{"output":1,}', '<html></html>', '\0'],
      [
        '{"output":null,"error":{}}',
        '{"output":null,"error":42}',
        '{"output":null,"error":{"message":7}}',
        '{"output":01}',
      ],
    ].flat(),
  )('%j', (text) => {
    expect(parse(text)).toEqual({ ok: false, failure: FAILURES.unusable })
  })

  test('bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"output":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')])
    expect(parseAnswer(bytes, LIMITS)).toEqual({ ok: false, failure: FAILURES.unusable })
  })
})

describe('depth', () => {
  const nested = (levels: number) => `{"output":${'['.repeat(levels)}${']'.repeat(levels)}}`

  test('an output of 32 levels is taken, one of 33 is not', () => {
    expect(parse(nested(32))).toMatchObject({ ok: true })
    expect(parse(nested(33))).toEqual({ ok: false, failure: FAILURES.tooDeep })
  })

  test('half a million levels are refused as any other', () => {
    expect(parse(nested(500_000))).toEqual({ ok: false, failure: FAILURES.tooDeep })
    expect(parse(`{"output":${'{"a":'.repeat(200_000)}`)).toEqual({ ok: false, failure: FAILURES.tooDeep })
  })

  test('brackets inside strings do not count, whatever is escaped there', () => {
    const text = JSON.stringify({ output: ['[[[['.repeat(100), '\\', '"[{', '\\"[[[', { '{{{{': '}' }] })
    expect(nestsDeeperThan(text, 3)).toBe(false)
    expect(nestsDeeperThan(text, 2)).toBe(true)
  })

  test('a megabyte made to slow a scan down is read in one pass', () => {
    const startedAt = performance.now()
    for (const hostile of [
      `"${'\\"'.repeat(500_000)}`,
      '"'.repeat(1_000_000),
      '[]'.repeat(500_000),
      '\\'.repeat(1_000_000),
    ]) {
      expect(nestsDeeperThan(hostile, 32)).toBe(false)
    }
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})

describe('the number of values', () => {
  const list = (count: number) => `{"output":[${Array(count).fill('1').join()}]}`

  // holds OUT-15
  test('is bounded over the whole answer, and told', () => {
    const bounded = (count: number) => parseAnswer(Buffer.from(list(count)), { responseValues: 50_000 })
    expect(bounded(49_998)).toMatchObject({ ok: true })
    expect(bounded(49_999)).toEqual({
      ok: false,
      failure: {
        message: 'The endpoint gave an answer with more than 50000 values: return less, page by page.',
        transport: 'worked',
        name: 'tooManyValues',
      },
    })
  })
})
