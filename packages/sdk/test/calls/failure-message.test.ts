import { CapabilityError, defineCapability } from '@svc/sdk'
import { describe, expect, test } from 'vitest'
import { failure, serve } from '../support/serve.ts'

const TOKEN = 'Bearer s3ssion/of+alice=='
const STACK = new Error('inner').stack ?? ''

/** The words that a thrown value leaves in the answer of a handler that shows them. */
async function wordsFor(thrown: unknown) {
  const fails = defineCapability({ name: 'fails', version: '1.0.0', handler: () => Promise.reject(thrown) })
  const { call, reported } = serve([fails], { exposeErrors: true })
  const { status, body } = await call('fails', { endUserToken: TOKEN })
  expect([status, reported.length]).toEqual([200, 1])
  return JSON.stringify(body)
}

const said = (code: string, message: string) => JSON.stringify(failure(code, message).body)

// holds SIG-16
test.each<[string, unknown]>([
  ['an error', Object.assign(new Error('relation "orders" does not exist'), { code: '42P01' })],
  ['a text', 'ECONNREFUSED 10.0.0.5:5432'],
])('the words of %s stay on the owner’s server, with the call’s id in the answer', async (_situation, thrown) => {
  const fails = defineCapability({ name: 'fails', version: '1.0.0', handler: () => Promise.reject(thrown) })
  const { call, reported } = serve([fails])
  const message = 'The capability failed. Its callId is call_7.'
  expect(await call('fails', { callId: 'call_7' })).toEqual(failure('handler_failed', message))
  expect(reported).toEqual([{ error: thrown, call: expect.objectContaining({ callId: 'call_7' }) }])
})

describe('the model reads a message and no stack', () => {
  test.each<[string, unknown]>([
    ['of an error with a cause', new Error('Sorry.', { cause: new Error(STACK) })],
    ['of several errors', new AggregateError([new Error(STACK)], 'Sorry.')],
    ['of an error whose message holds its stack', new Error(`Sorry.\n${STACK.split('\n').slice(1).join('\n')}`)],
    [
      'of an error on one line',
      new Error('Sorry. at f (/srv/a.ts:1:2) at async Shop.g [as h] (file:///srv/b.js:3:14)'),
    ],
    ['of a stack in quoted JSON', new Error('Sorry.\\n    at f (/srv/a.ts:1:2)\\n    at async node:internal/x:95:5')],
    [
      'of a browser’s stack',
      new Error('Sorry.\nload@https://shop.example.com/a.js:1:2\n@https://shop.example.com/a.js:3:4'),
    ],
    ['of frames without a place', new Error('Sorry.\n    at new Promise (<anonymous>)\n    at <anonymous>')],
    ['of an error on Windows', new Error('Sorry.\n    at f (C:\\srv\\my shop\\a.ts:1:2)')],
    ['of a text', 'Sorry.'],
    ['of any object', { message: 'Sorry.', stack: STACK }],
    ['whose details nobody asked for', Object.assign(new Error('Sorry.'), { detail: STACK, config: { token: TOKEN } })],
  ])('%s', async (_situation, thrown) => {
    expect(await wordsFor(thrown)).toBe(said('handler_failed', 'Sorry.'))
  })

  test('and a time of day is no place in a file', async () => {
    const message = 'It leaves\nat 10:30:00\nand again\nat noon (10:30:00) at 2026-01-01T10:30:00.'
    expect(await wordsFor(new Error(message))).toBe(said('handler_failed', message))
  })
})

describe('what is no error still gives a sentence', () => {
  const throwingGetter = Object.defineProperty({}, 'message', {
    get() {
      throw new Error('gone')
    },
  })
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['an empty message', new Error('')],
    ['a message that is no text', { message: { text: 'x' } }],
    ['a message whose reading throws', throwingGetter],
    ['an error without prototype', Object.create(null)],
    ['something that nobody can look at', proxy],
  ])('%s', async (_situation, thrown) => {
    expect(await wordsFor(thrown)).toBe(said('handler_failed', 'The capability failed.'))
  })
})

describe('the end user’s token is in no message', () => {
  test.each([
    ['as it came', TOKEN],
    ['without the word before it', 's3ssion/of+alice=='],
    ['in an address', encodeURIComponent('s3ssion/of+alice==')],
  ])('%s', async (_situation, form) => {
    expect(await wordsFor(new Error(`No user ${form}.`))).toBe(said('handler_failed', 'No user [end-user token].'))
  })

  test('nor a part of it where a long message is cut', async () => {
    const words = await wordsFor(new Error(`${'x'.repeat(1_990)}${TOKEN}`))
    expect(words).toContain('xxx[end-user')
    expect(words).not.toContain('s3s')
  })
})

test('a message has 2,000 characters at most', async () => {
  expect((await wordsFor(new Error('x'.repeat(100_000)))).match(/x+/)?.[0]).toHaveLength(2_000)
})

test('an expected failure is known by its code, from another copy of this package, too', async () => {
  const foreign = Object.assign(new Error('Sold out.'), { code: 'capability_error' })
  class SoldOut extends CapabilityError {}
  for (const thrown of [foreign, new SoldOut('Sold out.')]) {
    const fails = defineCapability({ name: 'fails', version: '1.0.0', handler: () => Promise.reject(thrown) })
    const { call, reported } = serve([fails])
    expect(await call('fails')).toEqual(failure('capability_error', 'Sold out.'))
    expect(reported).toEqual([])
  }
})
