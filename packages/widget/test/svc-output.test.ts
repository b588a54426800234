import { createUrlCheck, readSvcOutput } from '@svc/widget'
import { describe, expect, test } from 'vitest'

const checkUrl = createUrlCheck('https://shop.example.com')
const read = (svc: unknown) => readSvcOutput({ svc }, checkUrl)
const NOTHING = { isSettled: false, actions: [], cards: [], pending: null }

describe('the reserved key', () => {
  test('gives actions, cards and what is waited for', () => {
    const output = read({
      actions: [
        { type: 'link', label: 'Pay', url: 'https://shop.example.com/pay', style: 'primary' },
        { type: 'reply', label: 'Yes', value: 'Yes, order it', description: 'Pay later' },
        { type: 'reply', label: 'No' },
      ],
      cards: [
        {
          type: 'product',
          title: 'Lantern',
          price: '€24.90',
          description: 'Warm light',
          image: { url: 'https://shop.example.com/l.png', alt: 'A lantern' },
          url: 'https://shop.example.com/l',
          actions: [{ type: 'reply', label: 'Add it' }],
        },
        { type: 'product', title: 'Tent', price: '99' },
      ],
      pending: {
        capability: 'order-status',
        label: ' your\n payment ',
        input: { orderNumber: 'ORD-1' },
        intervalMs: 2000,
        timeoutMs: 60_000,
      },
    })
    expect(output).toEqual({
      isSettled: false,
      actions: [
        { type: 'link', label: 'Pay', url: 'https://shop.example.com/pay', isPrimary: true, description: null },
        { type: 'reply', label: 'Yes', value: 'Yes, order it', description: 'Pay later' },
        { type: 'reply', label: 'No', value: 'No', description: null },
      ],
      cards: [
        {
          title: 'Lantern',
          price: '€24.90',
          description: 'Warm light',
          image: { url: 'https://shop.example.com/l.png', alt: 'A lantern' },
          url: 'https://shop.example.com/l',
          actions: [{ type: 'reply', label: 'Add it', value: 'Add it', description: null }],
        },
        { title: 'Tent', price: '99', description: null, image: null, url: null, actions: [] },
      ],
      pending: {
        capability: 'order-status',
        label: 'your payment',
        input: { orderNumber: 'ORD-1' },
        intervalMs: 2000,
        timeoutMs: 60_000,
      },
    })
  })

  test.each([
    null,
    undefined,
    7,
    'svc',
    [],
    true,
    { actions: {} },
    { cards: 'x' },
    { pending: [] },
    { settled: 'true' },
  ])('%j gives nothing', (svc) => {
    expect(read(svc)).toEqual(NOTHING)
  })

  test.each([null, undefined, 7, 'svc', [], [{ svc: { settled: true } }]])(
    'an output of %j gives nothing',
    (output) => {
      expect(readSvcOutput(output, checkUrl)).toEqual(NOTHING)
    },
  )

  test('keys of the prototype are no keys', () => {
    expect(readSvcOutput(JSON.parse('{"__proto__":{"svc":{"settled":true}}}'), checkUrl)).toEqual(NOTHING)
    expect(read(JSON.parse('{"__proto__":{"settled":true},"constructor":{"settled":true}}'))).toEqual(NOTHING)
  })

  // holds WID-01
  test('takes five actions and six cards, and looks for them at the beginning of a list alone', () => {
    const actions = Array.from({ length: 10_000 }, (_, index) => ({ type: 'reply', label: `A${index}` }))
    const cards = Array.from({ length: 10_000 }, (_, index) => ({ type: 'product', title: `C${index}` }))
    const output = read({ actions: [null, 7, ...actions], cards: [{ type: 'other', title: 'no' }, ...cards] })
    expect(output.actions.map(({ label }) => label)).toEqual(['A0', 'A1', 'A2', 'A3', 'A4'])
    expect(output.cards.map(({ title }) => title)).toEqual(['C0', 'C1', 'C2', 'C3', 'C4', 'C5'])
    expect(read({ cards: [...Array(100).fill(null), ...cards] }).cards).toEqual([])
    const [offering] = read({ cards: [{ type: 'product', title: 'T', actions }] }).cards
    expect(offering?.actions.map(({ label }) => label)).toEqual(['A0', 'A1'])
  })

  test('cuts what is long and takes out what is not seen', () => {
    const [card] = read({
      cards: [{ type: 'product', title: `\u202eabc\u0000${'x'.repeat(500)}`, price: '\n€1\t ' }],
    }).cards
    expect(card?.title).toHaveLength(120 - 2)
    expect(card?.title).toMatch(/^abcx+…$/)
    expect(card?.price).toBe('€1')
  })

  test('a reply is said whole or left out', () => {
    const replies = (...entries: object[]) =>
      read({ actions: entries.map((entry) => ({ type: 'reply', label: 'Yes', ...entry })) }).actions
    expect(replies({ value: 'x'.repeat(1_001) }, { value: 7 }, { value: {} }, { value: null })).toEqual([])
    expect(replies({ value: 'x'.repeat(1_000) })).toMatchObject([{ value: 'x'.repeat(1_000) }])
    const [long] = replies({ label: 'y'.repeat(100) })
    expect([long?.label.length, long?.type === 'reply' && long.value]).toEqual([80, 'y'.repeat(100)])
  })

  test('what is no text is left out', () => {
    expect(read({ cards: [{ type: 'product', title: 7 }] }).cards).toEqual([])
    const card = { type: 'product', title: 'Tent', price: 99, description: ['x'] }
    expect(read({ cards: [card] }).cards).toMatchObject([{ price: null, description: null }])
    expect(read({ actions: [{ type: 'reply', label: 'Yes', description: 7 }] }).actions).toMatchObject([
      { description: null },
    ])
  })

  // holds WID-03
  test('a wait has its limits, whatever is asked for', () => {
    const pending = (value: object) => read({ pending: { capability: 'x', ...value } }).pending
    expect(pending({})).toMatchObject({ label: null, input: {}, intervalMs: 3000, timeoutMs: 300_000 })
    expect(pending({ intervalMs: 0, timeoutMs: 1e12 })).toMatchObject({ intervalMs: 1000, timeoutMs: 900_000 })
    expect(pending({ intervalMs: -1, timeoutMs: -1 })).toMatchObject({ intervalMs: 1000, timeoutMs: 1000 })
    expect(pending({ intervalMs: 'soon', timeoutMs: null })).toMatchObject({ intervalMs: 3000, timeoutMs: 300_000 })
    expect(pending({ capability: '../../admin' })).toBeNull()
    expect(pending({ input: [1] })).toBeNull()
    expect(pending({ input: { text: 'x'.repeat(70_000) } })).toBeNull()
    expect(read({ settled: true, pending: { capability: 'x' } })).toEqual({ ...NOTHING, isSettled: true })
  })
})

describe('addresses', () => {
  test.each(['https://a.example', 'HTTPS://A.example/b?c=d#e', 'https://a.example:8443/'])(
    '%s may be linked to',
    (url) => {
      expect(checkUrl(url)).toBe(new URL(url).href)
    },
  )

  test.each([
    'http://a.example',
    'http://shop.example.com',
    '//a.example',
    '/path',
    'a.example',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://a.example/1',
    'file:///etc/passwd',
    'https:a.example',
    'https:/\\a.example',
    'https://user:pass@a.example',
    'https://a.example@b.example',
    'https://a b.example',
    'https://a.example\\b',
    'https://',
    `https://a.example/${'x'.repeat(2048)}`,
    '',
  ])('%j may not', (url) => {
    expect(checkUrl(url)).toBeNull()
  })

  test('a page on this machine may link to itself', () => {
    const local = createUrlCheck('http://127.0.0.1:8788')
    expect(local('http://127.0.0.1:8788/pay')).toBe('http://127.0.0.1:8788/pay')
    expect(local('http://127.0.0.1:9999/pay')).toBeNull()
    expect(local('http://localhost:8788/pay')).toBeNull()
  })
})
