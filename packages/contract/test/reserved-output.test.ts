import { isSafeUrl, RESERVED_OUTPUT_LIMITS as LIMITS, reservedOutputFaults } from '@svc/contract'
import { describe, expect, test } from 'vitest'

const URL = 'https://shop.example.com/pay'
const card = { type: 'product', title: 'Lantern' }
const reply = { type: 'reply', label: 'Yes' }
const link = { type: 'link', label: 'Pay', url: URL }

describe('an address that chats link to', () => {
  test.each(['https://a.example', 'HTTPS://A.example/b?c=d#e', 'https://a.example:8443/'])('%s', (url) => {
    expect(isSafeUrl(url)).toBe(true)
  })

  test.each([
    ...['http://a.example', '//a.example', '/path', 'javascript:alert(1)', ' https://a.example', 'https:a.example'],
    ...['https://user:pass@a.example', 'https://a.example@b.example', 'https://a b.example', 'https://a.example\\b'],
    ...['https://', `https://a.example/${'x'.repeat(LIMITS.urlCharacters)}`, ''],
  ])('%j is none', (url) => {
    expect(isSafeUrl(url)).toBe(false)
  })
})

describe('the reserved key', () => {
  test('has no faults at its bounds', () => {
    const full = {
      settled: false,
      cards: Array(LIMITS.cards).fill({
        ...card,
        title: 'x'.repeat(LIMITS.titleCharacters),
        price: '€24.90',
        description: 'x'.repeat(LIMITS.descriptionCharacters),
        image: { url: URL, alt: '' },
        url: 'http://localhost:8788/',
        actions: Array(LIMITS.cardActions).fill(reply),
      }),
      actions: [link, { ...link, style: 'primary' }, reply, { ...reply, value: 'x'.repeat(LIMITS.replyCharacters) }],
      pending: { capability: 'order-status', label: 'payment', input: {}, intervalMs: 1_000, timeoutMs: 900_000 },
    }
    expect(reservedOutputFaults(full)).toEqual({})
    expect(reservedOutputFaults({ settled: true })).toEqual({})
  })

  test.each<[unknown, string, RegExp]>([
    [7, 'svc', /must be an object/],
    [{ actoins: [] }, 'svc.actoins', /is not shown.*settled, actions, cards, pending/],
    [{ settled: 'true' }, 'svc.settled', /true or false/],
    [{ actions: Array(6).fill(reply) }, 'svc.actions', /more than 5 entries/],
    [{ cards: Array(7).fill(card) }, 'svc.cards', /more than 6 entries/],
    [{ actions: [{ type: 'button' }] }, 'svc.actions.0.type', /link or reply/],
    [{ actions: [{ type: 'link', label: 'Pay' }] }, 'svc.actions.0.url', /is required/],
    [{ actions: [{ ...link, url: 'http://shop.example.com' }] }, 'svc.actions.0.url', /https:/],
    [{ actions: [{ ...reply, label: 7 }] }, 'svc.actions.0.label', /must be a text/],
    [{ actions: [{ ...reply, value: 'x'.repeat(1_001) }] }, 'svc.actions.0.value', /more than 1000 .* left out/],
    [{ cards: [{ title: 'x' }] }, 'svc.cards.0.type', /is required/],
    [{ cards: [{ ...card, price: 99 }] }, 'svc.cards.0.price', /must be a text/],
    [{ cards: [{ ...card, title: 'x'.repeat(121) }] }, 'svc.cards.0.title', /more than 120 .* cut/],
    [{ cards: [{ ...card, image: {} }] }, 'svc.cards.0.image.url', /is required/],
    [{ cards: [{ ...card, actions: Array(3).fill(reply) }] }, 'svc.cards.0.actions', /more than 2 entries/],
    [{ cards: [{ ...card, actions: [{ type: 'x' }] }] }, 'svc.cards.0.actions.0.type', /link or reply/],
    [{ pending: { capability: 'x', label: 7 } }, 'svc.pending.label', /must be a text/],
    [{ pending: { capability: '../admin' } }, 'svc.pending.capability', /name of a capability/],
    [{ pending: { capability: 'x', intervalMs: 500 } }, 'svc.pending.intervalMs', /from 1000 to 60000/],
    [{ pending: { capability: 'x', timeoutMs: 1e9 } }, 'svc.pending.timeoutMs', /from 1000 to 900000/],
    [{ pending: { capability: 'x', input: { text: 'x'.repeat(70_000) } } }, 'svc.pending.input', /more than 65536/],
  ])('%j: %s', (svc, field, message) => {
    expect(reservedOutputFaults(svc)).toEqual({ [field]: [expect.stringMatching(message)] })
  })
})
