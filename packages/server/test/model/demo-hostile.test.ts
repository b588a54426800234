import type { JsonObject } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelTool } from '../../src/model/model.ts'
import { called, DEMO_LINE, turnOf, user } from './demo-support.ts'
import { clinicTools, trackerTools } from './other-tools.ts'
import { shopTools } from './shop-tools.ts'

const QUICK_MS = 5_000

/** A turn must end in one of its two ways, soon. */
async function expectTurn(text: string, tools: readonly ModelTool[], output: unknown = null): Promise<void> {
  const started = performance.now()
  const asked = await turnOf([user(text)], tools)
  const answered = await turnOf([user(text), ...called('any', {}, { output })], tools)
  for (const events of [asked, answered]) {
    expect(events.at(-1)).toMatchObject({ type: 'end', usage: { inputTokens: expect.any(Number) } })
    const call = events.find((event) => event.type === 'tool_call')
    if (call !== undefined) expect(tools.map((tool) => tool.name)).toContain(call.name)
    else
      expect(events[0]).toMatchObject({ type: 'text', content: expect.stringContaining(DEMO_LINE.split(' ')[0] ?? '') })
  }
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
  ])('%s', async (_name, text) => {
    await expectTurn(text, [...shopTools, ...clinicTools])
  })

  test('whatever words are put together', async () => {
    const words = fc.constantFrom(
      ...'show add my cart order two 50 euros under “lantern” tomorrow at 3pm with Dr. Weber #42 ORD-1 the first one it cheapest and what about cancel not in stock top 5 between Germany , . ?'.split(
        ' ',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 25 }), async (picked) => {
        for (const tools of [shopTools, clinicTools, trackerTools]) await expectTurn(picked.join(' '), tools)
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
  test.each(schemas)('%s', async (_name, inputSchema) => {
    await expectTurn('show lantern aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab 3 one', [
      { name: 'show-lantern', description: 'Show a lantern.', inputSchema },
    ])
  })

  test('a prototype name is a field like any other', async () => {
    const inputSchema = schemas.find(([name]) => name === 'names of the prototype')?.[1] ?? {}
    const events = await turnOf(
      [user('show lantern "x-1" and the "y-2"')],
      [{ name: 'show-lantern', description: '', inputSchema }],
    )
    expect(Object.getPrototypeOf(events)).toBe(Array.prototype)
    expect(Object.hasOwn(Object.prototype, 'x-1')).toBe(false)
  })

  test('a hundred tools with forty fields each', async () => {
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
    await expectTurn('show me the lantern with the number 4 and the name "x"', tools)
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
  ])('%s', async (_name, output) => {
    await expectTurn('and the first one, how much is it?', shopTools, output)
  })
})
