import { expect, test, vi } from 'vitest'
import { atOnce } from '../../src/http/at-once.ts'

const FAULT = new Error('refused')

test('what has nothing to wait for goes on before anything else happens', () => {
  const done = vi.fn()
  atOnce(() => 'anything', done)
  expect(done.mock.calls).toEqual([[]])
})

test('what throws is the fault of the request', () => {
  const done = vi.fn()
  atOnce(() => {
    throw FAULT
  }, done)
  expect(done.mock.calls).toEqual([[FAULT]])
})

test('what has to wait goes on once, when it is there', async () => {
  const ended = await new Promise((resolve) => atOnce(() => Promise.resolve('later'), resolve))
  expect(ended).toBeUndefined()
})

test('what rejects is the fault of the request, an error whatever it was', async () => {
  const failed = (reason: unknown) => new Promise((resolve) => atOnce(() => Promise.reject(reason), resolve))
  expect(await failed(FAULT)).toBe(FAULT)
  expect(await failed('a word')).toEqual(new Error('a word'))
})
