import { createMemoryNonceStore, NONCE_LIFETIME_MS, NonceStoreFullError } from '@svc/sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeClaims, stampedAt } from '../support/claim-races.ts'
import { TEST_SEED } from '../support/seeded-random.ts'
import { fakeClock, NOW } from '../support/signed-calls.ts'

const TOLERANCE_MS = 300_000

describeClaims('a memory store', async (clock) => {
  const store = createMemoryNonceStore({ clock })
  return [store, store]
})

// holds SIG-09
test('a nonce is kept for tolerance and five seconds after its timestamp', () => {
  expect(NONCE_LIFETIME_MS).toBe(TOLERANCE_MS + 5_000)
})

test('a call stamped in the future stays claimed until its timestamp can no longer pass', async () => {
  const clock = fakeClock()
  const store = createMemoryNonceStore({ clock })
  const timestamp = NOW + 299_000
  expect(await store.claim('n', stampedAt(timestamp))).toBe(true)
  for (let now = NOW; now <= timestamp + TOLERANCE_MS; now += 1_000) {
    clock.set(now)
    expect(await store.claim('n', stampedAt(timestamp))).toBe(false)
  }
})

describe('a full store', () => {
  // holds SIG-09
  test('refuses new nonces, forgets none, and recovers as they expire', async () => {
    const clock = fakeClock()
    const store = createMemoryNonceStore({ clock, maxEntries: 3 })
    for (const nonce of ['a', 'b', 'c']) expect(await store.claim(nonce, stampedAt(NOW))).toBe(true)
    await expect(store.claim('d', stampedAt(NOW))).rejects.toThrow(NonceStoreFullError)
    expect(await store.claim('a', stampedAt(NOW))).toBe(false)
    clock.set(NOW + NONCE_LIFETIME_MS)
    expect(await store.claim('d', stampedAt(clock.now()))).toBe(true)
  })

  test('holds 100,000 nonces by default', async () => {
    const store = createMemoryNonceStore({ clock: fakeClock() })
    for (let count = 0; count < 100_000; count += 1) await store.claim(`n${count}`, stampedAt(NOW))
    await expect(store.claim('one more', stampedAt(NOW))).rejects.toThrow(NonceStoreFullError)
  })
})

test('a restart does not let calls in that were stamped more than five seconds before it', async () => {
  const clock = fakeClock()
  const store = createMemoryNonceStore({ clock })
  expect(await store.claim('before', stampedAt(NOW - 5_001))).toBe(false)
  expect(await store.claim('at', stampedAt(NOW - 5_000))).toBe(true)
  clock.set(NOW + TOLERANCE_MS - 5_001)
  expect(await store.claim('before', stampedAt(NOW - 5_001))).toBe(false)
})

test('a store that accepts calls from before it was made still refuses a second one', async () => {
  const store = createMemoryNonceStore({ clock: fakeClock(), acceptCold: true })
  expect(await store.claim('before', stampedAt(NOW - TOLERANCE_MS))).toBe(true)
  expect(await store.claim('before', stampedAt(NOW - TOLERANCE_MS))).toBe(false)
})

test('a clock that leaps ahead and is set right again neither replays a call nor refuses new ones', async () => {
  const clock = fakeClock()
  const store = createMemoryNonceStore({ clock })
  expect(await store.claim('old', stampedAt(NOW))).toBe(true)
  clock.set(NOW + 3_600_000)
  expect(await store.claim('ahead', stampedAt(clock.now()))).toBe(true)
  clock.set(NOW + 2_000)
  expect(await store.claim('old', stampedAt(NOW))).toBe(false)
  expect(await store.claim('new', stampedAt(clock.now()))).toBe(true)
})

test('no nonce is ever granted twice, whatever the clock does', async () => {
  const moves = fc.array(
    fc.record({
      clockMs: fc.integer({ min: -700_000, max: 700_000 }),
      nonce: fc.nat(5),
      skewMs: fc.integer({ min: -TOLERANCE_MS, max: TOLERANCE_MS }),
    }),
    { maxLength: 60 },
  )
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      const clock = fakeClock()
      const store = createMemoryNonceStore({ clock, maxEntries: 1_000 })
      const stamps = new Map<number, number>()
      const granted = new Set<number>()
      for (const step of steps) {
        clock.set(clock.now() + step.clockMs)
        const stamp = stamps.get(step.nonce) ?? clock.now() + step.skewMs
        stamps.set(step.nonce, stamp)
        const isFirst = await store.claim(String(step.nonce), stampedAt(stamp))
        expect(isFirst && granted.has(step.nonce)).toBe(false)
        if (isFirst) granted.add(step.nonce)
      }
    }),
    { numRuns: 300, seed: TEST_SEED },
  )
})
