import { describe, expect, test } from 'vitest'
import { ModelError } from '../../src/model/model.ts'
import { assistant, called, DEMO_LINE, deed, said, turnOf, user } from './demo-support.ts'
import { clinicTools, trackerTools } from './other-tools.ts'
import { shopTools } from './shop-tools.ts'
import { textOf } from './support.ts'

const lanterns = {
  products: [
    { id: 'p_1', name: 'Trail Lantern', price: 39, currency: 'EUR', inStock: true },
    { id: 'p_2', name: 'Storm Lantern', price: 24.5, currency: 'EUR', inStock: false },
    { id: 'p_3', name: 'Candle Lantern', price: 19, currency: 'EUR', inStock: true },
  ],
}
const talk = [user('Show me lanterns'), ...called('search-products', { query: 'lanterns' }, { output: lanterns })]

/** What the model says of a result, without the line that says what it is. */
async function answerTo(result: { output: unknown } | { error: string }, input = {}): Promise<string> {
  const text = await said([user('Lanterns?'), ...called('search-products', input, result)], shopTools)
  expect(text.startsWith(`${DEMO_LINE}\n`)).toBe(true)
  return text.slice(DEMO_LINE.length + 1)
}

describe('a result that somebody had waited for', () => {
  test('is answered by itself, and not with what was answered before', async () => {
    const ordered = called('place-order', {}, { output: { orderNumber: 'ORD-1', payment: 'open' } })
    const paid = called(
      'order-status',
      { orderNumber: 'ORD-1' },
      { output: { summary: 'It is paid', payment: 'paid' } },
    )
    const text = await said([user('Place the order'), ...ordered, assistant('Please pay.'), ...paid], shopTools)
    expect(text).toContain('It is paid')
    expect(text).not.toContain('open')
  })
})

describe('an answer', () => {
  test('lists what was found by name and price', async () => {
    expect(await answerTo({ output: lanterns }, { query: 'lanterns', maxPrice: 40 })).toBe(
      [
        'I found 3 products for “lanterns”, max price 40:',
        '- Trail Lantern – €39.00 (in stock)',
        '- Storm Lantern – €24.50 (in stock no)',
        '- Candle Lantern – €19.00 (in stock)',
      ].join('\n'),
    )
  })

  test('says that nothing was found, and for what', async () => {
    expect(await answerTo({ output: { found: 0, products: [] } }, { query: 'unicorns' })).toBe(
      'I found no products for “unicorns”.',
    )
  })

  test('tells a thing by its members, prices in their currency and once only', async () => {
    const output = {
      id: 7,
      name: 'Trail Lantern',
      price: '€39.00',
      priceCents: 3900,
      delivery: { amount: 4.9, currency: 'EUR' },
    }
    expect(await answerTo({ output })).toBe('Trail Lantern:\n- price: €39.00\n- delivery: €4.90')
  })

  test('tells a thing that has parts with its parts below it', async () => {
    const items = [{ name: 'Trail Lantern', quantity: 2 }]
    const output = {
      orderNumber: 'ORD-1',
      status: 'shipped',
      total: 78,
      currency: 'EUR',
      placedOn: '2026-03-01',
      items,
    }
    expect(await answerTo({ output })).toBe(
      'ORD-1:\n- status: shipped\n- total: €78.00\n- placed on: 2026-03-01\n\nItems:\n- Trail Lantern (quantity 2)',
    )
  })

  test.each([
    ['a list of words', { categories: ['camping', 'kitchen'] }, 'I found 2 categories:\n- camping\n- kitchen'],
    ['a text', 'We open at ten.', 'We open at ten.'],
    ['nothing', null, 'Search products: done.'],
    ['a number', 42, '42'],
    ['what only the widget shows', { svc: { settled: true } }, 'Search products: done.'],
  ])('reads out %s', async (_kind, output, expected) => {
    expect(await answerTo({ output })).toBe(expected)
  })

  test('passes a failure on word for word', async () => {
    expect(await answerTo({ error: 'You need to sign in to see your cart.' })).toBe(
      'That did not work: You need to sign in to see your cart.',
    )
  })

  test('stays short, however much was found', async () => {
    const products = Array.from({ length: 400 }, (_, index) => ({ name: `Lantern ${index}`, text: 'x'.repeat(5_000) }))
    const text = await answerTo({ output: { products } })
    expect(text).toContain('\n\n… and 390 more.')
    expect(text.length).toBeLessThan(20_000)
  })

  test('comes in groups of words that add up to it, its demo line first', async () => {
    const events = await turnOf([user('Lanterns?'), ...called('search-products', {}, { output: lanterns })], shopTools)
    const texts = events.filter((event) => event.type === 'text')
    expect(texts.length).toBeGreaterThan(5)
    expect(textOf(events).split('\n')[0]).toBe(DEMO_LINE)
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stop' })
  })
})

describe('a talk goes on from its last result:', () => {
  test.each([
    ['How much is the first one?', ['get-product', { product: 'Trail Lantern' }]],
    ['add the second one to my cart', ['add-to-cart', { product: 'Storm Lantern' }]],
    ['tell me about the cheapest one', ['get-product', { product: 'Candle Lantern' }]],
    ['put 2 of the storm lanterns in my basket', ['add-to-cart', { product: 'Storm Lantern', quantity: 2 }]],
    ['the last one please', ['get-product', { product: 'Candle Lantern' }]],
    ['what about under 20 euros?', ['search-products', { query: 'lanterns', maxPrice: 20 }]],
    ['and headlamps?', ['search-products', { query: 'headlamps' }]],
    ['Never mind, what categories are there?', ['list-categories', {}]],
  ])('%s', async (question, expected) => {
    expect(await deed([...talk, assistant(`${DEMO_LINE}\nI found 3 products.`), user(question)], shopTools)).toEqual(
      expected,
    )
  })

  test('“it” is the thing that was told last', async () => {
    const messages = [
      ...talk,
      user('the storm lantern'),
      ...called('get-product', {}, { output: lanterns.products[1] }),
    ]
    expect(await deed([...messages, user('add it to my cart')], shopTools)).toEqual([
      'add-to-cart',
      { product: 'Storm Lantern' },
    ])
  })

  test('the id of a thing goes where an id is asked for', async () => {
    const output = {
      tickets: [
        { ticketId: 42, title: 'Login page is blank' },
        { ticketId: 43, title: 'Slow export' },
      ],
    }
    const messages = [user('tickets?'), ...called('searchTickets', {}, { output }), user('close the second one')]
    expect(await deed(messages, trackerTools)).toEqual(['closeTicket', { ticketId: 43 }])
  })
})

describe('what is missing', () => {
  test('is asked for, and the answer is understood as one', async () => {
    const question = await said([user('How much is shipping?')], shopTools)
    expect(question).toBe(`${DEMO_LINE}\nFor shipping quote I also need the country. What is it? (shipping-quote)`)
    const messages = [user('How much is shipping?'), assistant(question), user('Austria')]
    expect(await deed(messages, shopTools)).toEqual(['shipping-quote', { country: 'Austria' }])
  })

  test('is filled from both what was said before and what is said now', async () => {
    const first = user('Book an appointment with Dr. Weber')
    const question = await said([first], clinicTools)
    expect(question).toContain('the date and the time')
    expect(await deed([first, assistant(question), user('tomorrow at 3pm')], clinicTools)).toEqual([
      'book_appointment',
      { doctor: 'Dr. Weber', date: '2026-03-12', time: '15:00' },
    ])
  })

  test('is forgotten when the talk turns to something else', async () => {
    const question = await said([user('track my order')], shopTools)
    const messages = [user('track my order'), assistant(question), user('show me what is in my cart')]
    expect(await deed(messages, shopTools)).toEqual(['view-cart', {}])
  })
})

describe('what no tool is for', () => {
  test.each(['hi', 'Hello there!', 'thanks a lot', 'what can you do?', 'Hi, who are you?', 'help', '   ', '👋'])(
    '“%s” is answered with what can be done',
    async (words) => {
      const text = await said([user(words)], shopTools)
      expect(text.startsWith(`${DEMO_LINE}\n`)).toBe(true)
      expect(text).toContain('- shipping quote: Quote what shipping to a country costs and how long delivery takes.')
    },
  )

  test.each(['empty my cart', 'remove the lantern from my cart', 'cancel my order ORD-1001', 'delete my account'])(
    '“%s” is declined rather than taken for something near it',
    async (words) => {
      expect(await said([user(words)], shopTools)).toContain('I do not see which of my tools fits that')
    },
  )

  test.each([
    'what did I order?',
    'where is my order?',
    'show me my order',
    'Is everything in my cart in stock?',
    'when was my order placed?',
  ])('“%s” never places an order or fills a cart', async (words) => {
    expect(JSON.stringify(await deed([user(words)], shopTools))).not.toMatch(/^\["(place-order|add-to-cart)/)
  })

  test('without tools it says so', async () => {
    expect(await said([user('Show me lanterns')])).toContain('I have no tools here')
  })
})

describe('the demo model', () => {
  test('counts a token for every four characters of what it is given and of what it says', async () => {
    const short = (await turnOf([user('Show me lanterns')], shopTools)).at(-1)
    const long = (await turnOf([user(`Show me lanterns${' '.repeat(400)}`)], shopTools)).at(-1)
    expect(short).toMatchObject({ reason: 'tool_calls', usage: { outputTokens: 10 } })
    if (short?.type !== 'end' || long?.type !== 'end') throw new Error('both turns must have ended')
    expect(long.usage.inputTokens - short.usage.inputTokens).toBe(100)
  })

  test('does the same for the same words', async () => {
    const turns = await Promise.all([1, 2, 3].map(() => turnOf(talk, shopTools)))
    expect(turns[1]).toEqual(turns[0])
    expect(turns[2]).toEqual(turns[0])
  })

  test('stops when its caller has left', async () => {
    const { demoModel } = await import('../../src/model/demo-model.ts')
    const caller = new AbortController()
    const stream = demoModel({ clock: { now: () => 0 } }).stream({
      instructions: null,
      messages: [user('hi')],
      tools: shopTools,
      signal: caller.signal,
    })
    const turn = stream[Symbol.asyncIterator]()
    await turn.next()
    caller.abort()
    await expect(turn.next()).rejects.toThrow(ModelError)
  })
})
