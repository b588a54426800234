import { expect, test } from 'vitest'
import { withoutToken } from '../../src/dispatch/scrub.ts'
import { Secret } from '../../src/secrets/secret.ts'

const token = new Secret('session-1234567890')

test('a token that the endpoint echoes is taken out of every string and key of the output', () => {
  const output = {
    said: 'your session-1234567890!',
    list: [{ 'session-1234567890': 1 }, null, 7],
    deep: { a: ['session-1234567890'] },
  }

  expect(withoutToken({ ok: true, output }, token)).toEqual({
    ok: true,
    output: {
      said: 'your [end-user token]!',
      list: [{ '[end-user token]': 1 }, null, 7],
      deep: { a: ['[end-user token]'] },
    },
  })
})

test('a token in the endpoint’s own error is taken out of the message', () => {
  const failure = { message: 'no user for session-1234567890', transport: 'worked' } as const

  expect(withoutToken({ ok: false, failure }, token)).toEqual({
    ok: false,
    failure: { message: 'no user for [end-user token]', transport: 'worked' },
  })
})

test('an answer stays as it is without a token, and with one too short to tell from a word', () => {
  const answer = { ok: true, output: { said: 'a session' } } as const

  expect(withoutToken(answer, undefined)).toBe(answer)
  expect(withoutToken(answer, new Secret('session'))).toBe(answer)
})
