import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { redactorOf } from '../../src/dispatch/redact.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { Secret } from '../../src/secrets/secret.ts'

const TOKEN = 'session 12/34+56 "ä" 7890'
const bytes = Buffer.from(TOKEN)
const redactor = redactorOf(new Secret(TOKEN))

function redacted(value: unknown): unknown {
  return redactor.json(JsonDocument.of(value)).value
}

// holds OUT-17
test('the token is replaced in every text value, and in no key', () => {
  const output = { said: `your ${TOKEN}!`, list: [{ [TOKEN]: 1 }, null, 7], deep: { a: [TOKEN, TOKEN] } }
  expect(redacted(output)).toEqual({
    said: 'your [end-user token]!',
    list: [{ [TOKEN]: 1 }, null, 7],
    deep: { a: ['[end-user token]', '[end-user token]'] },
  })
})

describe('the token is found', () => {
  const json = JSON.stringify(TOKEN).slice(1, -1)
  test.each([
    ['as it stands', TOKEN],
    ['in base64', bytes.toString('base64')],
    ['in base64 without padding', bytes.toString('base64').replace(/=+$/, '')],
    ['in base64url', bytes.toString('base64url')],
    ['in hex', bytes.toString('hex')],
    ['in upper-case hex', bytes.toString('hex').toUpperCase()],
    ['URL-encoded', encodeURIComponent(TOKEN)],
    ['URL-encoded in lower case', encodeURIComponent(TOKEN).replace(/%../g, (code) => code.toLowerCase())],
    ['as a form has it', new URLSearchParams([['', TOKEN]]).toString().slice(1)],
    ['JSON-escaped', json],
    ['JSON-escaped with slashes', json.replaceAll('/', '\\/')],
    ['JSON-escaped in ASCII', json.replaceAll('ä', '\\u00e4')],
  ])('%s', (_, form) => {
    expect(redacted({ text: `<${form}>` })).toEqual({ text: '<[end-user token]>' })
    expect(redactor.text(`<${form}>`)).toBe('<[end-user token]>')
  })

  test.each([0, 1, 2])('in base64 of a longer text that begins %i bytes before it', (shift) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const longer = Buffer.concat([Buffer.from('x'.repeat(3 + shift)), bytes, Buffer.from('tail')]).toString(encoding)
      const left = String(redacted(longer))
      expect(left).toContain('[end-user token]')
      expect(left.length).toBeLessThan('[end-user token]'.length + 16)
    }
  })

  test('without the scheme before it', () => {
    const bearer = redactorOf(new Secret('Bearer abcdefghij-0123456789'))
    expect(bearer.text('it was abcdefghij-0123456789.')).toBe('it was [end-user token].')
  })
})

test('another token of the same issuer stays', () => {
  const issued = (by: string) => 'header-and-claims.'.repeat(20) + createHash('sha512').update(by).digest('hex')
  const own = redactorOf(new Secret(issued('a')))
  expect(own.text(`${issued('b')} ${issued('a')}`)).toBe(`${issued('b')} [end-user token]`)
})

// It takes 2 s where each place of the text is compared with all of the token.
test.each([
  ['a'.repeat(8_000), `${'a'.repeat(8_000)}${`b${'a'.repeat(7_999)}`.repeat(128)}`],
  [`aab${'a'.repeat(8_000)}`, 'a'.repeat(1_040_000)],
  [Array.from({ length: 440 }, (_, at) => `word-${at}-${'x'.repeat(10)}`).join(' '), 'word and '.repeat(115_000)],
])('a long token is looked for in a text that nearly repeats it within a turn of the event loop', (token, text) => {
  const begun = performance.now()
  redactorOf(new Secret(token)).jsonText(JSON.stringify({ text }))
  expect(performance.now() - begun).toBeLessThan(300)
})

test('an answer without the token is the same object', () => {
  const written = JsonDocument.of({ said: 'a session' })
  expect(redactor.json(written)).toBe(written)
  expect(redactorOf(undefined).json(written)).toBe(written)
})

test('a token of fifteen characters is left, one of sixteen is not', () => {
  const answer = (token: string) => redactorOf(new Secret(token)).json(JsonDocument.of(`a ${token}`)).value
  expect(answer('x'.repeat(15))).toBe(`a ${'x'.repeat(15)}`)
  expect(answer('x'.repeat(16))).toBe('a [end-user token]')
})
