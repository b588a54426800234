import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/store/migrations.ts'

// A database keeps the names that it applied: a renamed migration would run again, a changed one would never run there.
const LAST = '0049-deployment-source'
const HASH = '223ac758dc40d2318e0b3aea590e3d164fd32b739b7610be80b0801dc082cb83'

test('migrations up to the last released one keep their names, order and statements', () => {
  const entries = Object.entries(MIGRATIONS)
  const released = entries.slice(0, entries.findIndex(([name]) => name === LAST) + 1)
  expect(released.length).toBeGreaterThan(30)
  // The text of a function depends on the compiler: its place alone is held.
  const text = JSON.stringify(released, (_, value) => (typeof value === 'function' ? 'function' : value))
  expect(createHash('sha256').update(text).digest('hex')).toBe(HASH)
})
