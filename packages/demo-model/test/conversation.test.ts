import { describe, expect, test } from 'vitest'
import { restaurantTools } from './other-tools.ts'
import { shopTools } from './shop-tools.ts'
import { assistant, called, DEMO_LINE, deed, said, user } from './support.ts'

const lanterns = {
  found: 2,
  products: [
    { name: 'Trail Lantern', price: '€39.00', inStock: true },
    { name: 'Storm Lantern', price: '€24.50', inStock: false },
  ],
}

/** What the model says of a result, without the line that says what it is. */
function answerTo(result: { output: unknown } | { error: string }): string {
  const text = said([user('Lanterns?'), ...called('search-products', {}, result)], shopTools)
  expect(text.startsWith(`${DEMO_LINE}\n`)).toBe(true)
  return text.slice(DEMO_LINE.length + 1)
}

const CARD = { type: 'product', title: 'Lantern', price: '€24.90', description: 'Light for a tent.' }

describe('an answer', () => {
  // holds MDL-06
  test('lists what was found, each thing with its members', () => {
    expect(answerTo({ output: lanterns })).toBe(
      [
        'search products:',
        '- found: 2',
        '',
        'products, 2 in all:',
        '- Trail Lantern (price €39.00, in stock yes)',
        '- Storm Lantern (price €24.50, in stock no)',
      ].join('\n'),
    )
  })

  test('tells a thing by its members, and its parts below them', () => {
    const items = [{ name: 'Trail Lantern', quantity: 2 }]
    expect(answerTo({ output: { orderNumber: 'ORD-1', status: 'shipped', delivery: { days: 2 }, items } })).toBe(
      'ORD-1:\n- status: shipped\n- delivery: days 2\n\nitems, 1 in all:\n- Trail Lantern (quantity 2)',
    )
  })

  test.each([
    ['a list of words', { categories: ['camping', 'kitchen'] }, 'categories, 2 in all:\n- camping\n- kitchen'],
    ['an empty list', { products: [] }, 'products, 0 in all:'],
    ['a text', 'We open at ten.', 'We open at ten.'],
    ['nothing', null, 'search products: done.'],
    ['a number', 42, '42'],
    [
      'what a card shows already',
      { name: 'Lantern', price: '€24.90', stock: 3, svc: { cards: [CARD] } },
      'Lantern:\n- stock: 3',
    ],
    [
      'a list of what cards show',
      { products: [{ name: 'Lantern', price: '€24.90' }], svc: { cards: [CARD] } },
      'products, 1 in all: Lantern.',
    ],
    [
      'sums in cents as money, once',
      { order: { price: '€24.90', priceCents: 2490, count: 2 }, total_cents: 24_900, accents: 3, currency: 'EUR' },
      'search products:\n- order: price €24.90, count 2\n- total: €249.00\n- accents: 3\n- currency: EUR',
    ],
    [
      'sums of a currency that is not told',
      { total: 1, totalCents: 24_900 },
      'search products:\n- total: 1\n- total: 249.00',
    ],
    ['what only the widget shows', { svc: { settled: true } }, 'search products: done.'],
  ])('reads out %s', (_kind, output, expected) => {
    expect(answerTo({ output })).toBe(expected)
  })

  test('passes a failure on word for word', () => {
    expect(answerTo({ error: 'You need to sign in to see your cart.' })).toBe(
      'That did not work: You need to sign in to see your cart.',
    )
  })

  test.each([
    'The endpoint did not answer in time: whether the call had an effect is unknown.',
    'Whether this call of “pay” took effect is not known. It was not run now.',
  ])('does not call a lost answer a failure: %s', (error) => {
    expect(answerTo({ error })).toBe(`I do not know whether that worked: ${error}`)
  })

  test('stays short, however much was found', () => {
    const products = Array.from({ length: 400 }, (_, index) => ({ name: `Lantern ${index}`, text: 'x'.repeat(5_000) }))
    const text = answerTo({ output: { products } })
    expect(text).toContain('\n\n… and 390 more.')
    expect(text.length).toBeLessThan(20_000)
  })

  test('to a result that came after the answer tells that result alone', () => {
    const ordered = called('place-order', {}, { output: { orderNumber: 'ORD-1', payment: 'open' } })
    const paid = called('order-status', {}, { output: { summary: 'It is paid', payment: 'paid' } })
    const text = said([user('Place the order'), ...ordered, assistant('Please pay.'), ...paid], shopTools)
    expect(text).toContain('It is paid')
    expect(text).not.toContain('open')
  })
})

describe('what is missing', () => {
  test('is asked for, and the answer is understood as one', () => {
    const question = said([user('How much is shipping?')], shopTools)
    expect(question).toBe(`${DEMO_LINE}\nFor shipping quote I also need the country. What is it? (shipping-quote)`)
    const messages = [user('How much is shipping?'), assistant(question), user('Austria')]
    expect(deed(messages, shopTools)).toEqual(['shipping-quote', { country: 'Austria' }])
  })

  test('is filled from both what was said before and what is said now', () => {
    const first = user('Please transfer money to Maria Lopez')
    const question = said([first], restaurantTools)
    expect(deed([first, assistant(question), user('30 euros')], restaurantTools)).toEqual([
      'transfer-money',
      { recipient: 'Maria Lopez', amount: 30 },
    ])
  })

  test('is forgotten when the user turns to something else', () => {
    const question = said([user('track my order')], shopTools)
    const messages = [user('track my order'), assistant(question), user('show me what is in my cart')]
    expect(deed(messages, shopTools)).toEqual(['view-cart', {}])
  })
})

describe('what no tool is for', () => {
  test.each(['hi', 'Hello there!', 'thanks a lot', 'what can you do?', 'Hi, who are you?', 'help', '   ', '👋'])(
    '“%s” is answered with what can be done',
    (words) => {
      const text = said([user(words)], shopTools)
      expect(text.startsWith(`${DEMO_LINE}\nHello! I can:`)).toBe(true)
      expect(text).toContain('- shipping quote: Quote what shipping to a country costs and how long delivery takes.')
    },
  )

  test('is declined', () => {
    expect(said([user('delete my account')], shopTools)).toContain('I do not see which of my tools fits that')
  })

  test('without tools it says so', () => {
    expect(said([user('Show me lanterns')])).toContain('I have no tools here')
  })
})
