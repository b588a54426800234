import type { JsonObject } from '@svc/contract'
import { type Tool, takeTurn } from '@svc/demo-model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clinicTools, trackerTools } from './other-tools.ts'
import { shopTools } from './shop-tools.ts'
import { called, DEMO_LINE, user } from './support.ts'

const QUICK_MS = 5_000

/** A turn must end in one of its two ways, soon. */
function expectTurn(text: string, tools: readonly Tool[], output: unknown = null): void {
  const started = performance.now()
  const asked = takeTurn({ messages: [user(text)], tools })
  const answered = takeTurn({ messages: [user(text), ...called('any', {}, { output })], tools })
  if (asked.type === 'call') expect(tools.map(({ name }) => name)).toContain(asked.name)
  else expect(asked.text.startsWith(`${DEMO_LINE}\n`)).toBe(true)
  expect(answered).toMatchObject({ type: 'say', text: expect.stringContaining(DEMO_LINE) })
  expect(performance.now() - started).toBeLessThan(QUICK_MS)
}

describe('no text holds the model up or brings it down', () => {
  test.each([
    ['a million words', 'lantern under 50 euros '.repeat(43_000)],
    ['one endless word', 'a'.repeat(1_000_000)],
    ['open quotes', `find ${'"'.repeat(5_000)}`],
    ['numbers only', '1,000.50 '.repeat(5_000)],
    ['an endless address', `${'a.'.repeat(5_000)}@${'b.'.repeat(5_000)}`],
    ['politeness only', 'please '.repeat(20_000)],
    ['prototype names', 'show constructor __proto__ toString hasOwnProperty'],
    ['control characters', 'show\u0000me\u2028lanterns\ud800'],
    ['another script', '東京までの送料はいくらですか'],
    ['regular expression', '(a+)+$ [\\'],
  ])('%s', (_name, text) => {
    expectTurn(text, [...shopTools, ...clinicTools])
  })

  test('whatever words are put together', () => {
    const words = fc.constantFrom(
      ...'show add my cart order two 50 euros under “lantern” tomorrow at 3pm with Dr. Weber #42 ORD-1 the first one it cheapest and what about cancel not in stock top 5 between Germany , . ?'.split(
        ' ',
      ),
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 25 }), (picked) => {
        for (const tools of [shopTools, clinicTools, trackerTools]) expectTurn(picked.join(' '), tools)
      }),
      { numRuns: 150 },
    )
  })
})

const schemas: [string, JsonObject][] = [
  ['no properties', { type: 'object' }],
  ['properties that are none', { type: 'object', properties: 'lantern', required: 7 }],
  ['members that are none', { type: 'object', properties: { query: true, b: null, c: [], d: 1 } }],
  ['a reference to itself', { type: 'object', properties: { query: { $ref: '#/properties/query' } } }],
  ['references in a circle', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
  ['a schema within itself', { type: 'object', properties: { lantern: { $ref: '#' } }, required: ['lantern'] }],
  ['a pattern that is none', { type: 'object', properties: { query: { type: 'string', pattern: '(((' } } }],
  ['a pattern that backtracks', { type: 'object', properties: { orderId: { type: 'string', pattern: '^(a+)+$' } } }],
  ['options of all types', { type: 'object', properties: { kind: { enum: [null, 1, true, {}, [], 'lantern', ''] } } }],
  [
    'impossible bounds',
    { type: 'object', properties: { count: { type: 'integer', minimum: 9, maximum: 1 } }, required: ['count'] },
  ],
  [
    'names of the prototype',
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__","constructor"]}',
    ),
  ],
]

describe('no schema holds the model up or brings it down', () => {
  test.each(schemas)('%s', (_name, inputSchema) => {
    expectTurn('show lantern aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab 3 one', [
      { name: 'show-lantern', description: 'Show a lantern.', inputSchema },
    ])
  })

  test('a prototype name is a field like any other', () => {
    const inputSchema = schemas.find(([name]) => name === 'names of the prototype')?.[1] ?? {}
    takeTurn({
      messages: [user('show lantern "x-1" and the "y-2"')],
      tools: [{ name: 'show-lantern', description: '', inputSchema }],
    })
    expect(Object.hasOwn(Object.prototype, 'x-1')).toBe(false)
  })

  test('a hundred tools with forty fields each', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `lanternField${index}`,
        { type: 'string', description: 'lantern '.repeat(200) },
      ]),
    )
    const tools = Array.from({ length: 128 }, (_, index) => ({
      name: `show-lantern-${index}`,
      description: 'Show a lantern. '.repeat(500),
      inputSchema: { type: 'object', properties },
    }))
    expectTurn('show me the lantern with the number 4 and the name "x"', tools)
    expectTurn('show me the lantern with the name of 4 birds '.repeat(100), tools)
  }, 20_000)
})

describe('no result holds the model up or brings it down', () => {
  let deep: unknown = 'lantern'
  for (let depth = 0; depth < 5_000; depth++) deep = depth % 2 === 0 ? { name: deep } : { items: [deep] }
  test.each([
    ['a deep one', deep],
    ['a wide one', Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]))],
    ['a long list of lists', Array.from({ length: 20_000 }, () => [[1, 2], [3]])],
    ['prototype names', JSON.parse('{"__proto__":{"name":"x"},"constructor":"y","toString":1}')],
    ['names that are no text', { name: { name: { name: 1 } }, price: { amount: {} }, currency: 'no currency' }],
    ['a list of nothing', [null, undefined, '', []]],
  ])('%s', (_name, output) => {
    expectTurn('and the first one, how much is it?', shopTools, output)
  })
})
