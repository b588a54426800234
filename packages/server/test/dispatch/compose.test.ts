import { expect, test } from 'vitest'
import { traceparentOf } from '../../src/dispatch/compose.ts'

const GIVEN = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test('a valid traceparent is passed on', () => {
  expect(traceparentOf(GIVEN)).toBe(GIVEN)
})

test.each([
  undefined,
  '',
  GIVEN.toUpperCase(),
  `${GIVEN}\r\nx-injected: 1`,
  `${GIVEN}\n`,
  '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
])('%j is replaced by a new one', (given) => {
  const created = traceparentOf(given)
  expect(created).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  expect(created).not.toBe(traceparentOf(given))
})
