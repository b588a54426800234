import { createMemoryEffectStore, EFFECT_LIFETIME_MS, EffectStoreFullError } from '@svc/sdk'
import { expect, test } from 'vitest'
import { describeEffects } from '../support/effect-races.ts'
import { fakeClock, NOW } from '../support/signed-calls.ts'

const HOUR_MS = 3_600_000

// Opened long before: a store in memory knows nothing of the time before it.
describeEffects('a memory store', async (clock) => {
  clock.set(NOW - 3 * HOUR_MS)
  const store = createMemoryEffectStore({ clock })
  clock.set(NOW)
  return [store, store]
})

test('a record is kept for a day, and its place is free afterwards', async () => {
  const clock = fakeClock()
  const store = createMemoryEffectStore({ clock, maxEntries: 1 })
  expect(EFFECT_LIFETIME_MS).toBe(24 * HOUR_MS)
  await store.begin('a', 'record')
  clock.set(NOW + EFFECT_LIFETIME_MS - 1)
  await store.end('a', 'ended')
  expect(await store.begin('a', 'again')).toBe('ended')
  await expect(store.begin('b', 'record')).rejects.toThrow(EffectStoreFullError)
  clock.set(NOW + EFFECT_LIFETIME_MS)
  expect(await store.begin('b', 'record')).toBeNull()
  expect(await store.read('a')).toBeNull()
})

test('a full store refuses new calls, and still tells of those that it remembers', async () => {
  const clock = fakeClock()
  const store = createMemoryEffectStore({ clock, maxCharacters: 10 })
  expect(await store.begin('a', '12345')).toBeNull()
  await store.end('a', '1234567890')
  await expect(store.begin('b', '1')).rejects.toThrow(/1 calls with 10 characters/)
  expect(await store.begin('a', '1')).toBe('1234567890')
  await store.end('a', '1')
  expect(await store.begin('b', '123456789')).toBeNull()
  await expect(store.begin('c', '1')).rejects.toThrow(/2 calls with 10 characters/)
  // Expired records take no room any more.
  clock.set(NOW + EFFECT_LIFETIME_MS)
  expect(await store.begin('c', '123456789')).toBeNull()
  expect(await store.begin('d', '1')).toBeNull()
})

test('a clock that is set back forgets nothing early, and a clock that leaps ahead frees no more than has expired', async () => {
  const clock = fakeClock()
  const store = createMemoryEffectStore({ clock })
  await store.begin('a', 'a')
  clock.set(NOW - HOUR_MS)
  await store.begin('b', 'b')
  clock.set(NOW - HOUR_MS + EFFECT_LIFETIME_MS)
  await store.begin('c', 'c')
  expect([await store.read('a'), await store.read('b')]).toEqual(['a', 'b'])
  clock.set(NOW + EFFECT_LIFETIME_MS)
  await store.begin('d', 'd')
  expect([await store.read('a'), await store.read('b'), await store.read('c')]).toEqual([null, null, 'c'])
})

test('a lifetime below what the service may ask for is refused', () => {
  for (const lifetimeMs of [0, 2 * HOUR_MS - 1, Number.NaN]) {
    expect(() => createMemoryEffectStore({ lifetimeMs })).toThrow(RangeError)
  }
  expect(createMemoryEffectStore({ lifetimeMs: 2 * HOUR_MS }).lifetimeMs).toBe(2 * HOUR_MS)
})
