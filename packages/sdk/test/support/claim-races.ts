import { NONCE_LIFETIME_MS, type NonceStore } from '@svc/sdk'
import { describe, expect, test } from 'vitest'
import { type FakeClock, fakeClock, NOW } from './signed-calls.ts'

export const stampedAt = (timestamp: number) => timestamp + NONCE_LIFETIME_MS

const CLAIMS = 1_000
const SLOW_MS = 120_000

/**
 * Defines what every nonce store guarantees. `open` gives stores that share one memory through connections of their own;
 * each test gets an empty one.
 */
export function describeClaims(
  title: string,
  open: (clock: FakeClock) => Promise<readonly [NonceStore, NonceStore]>,
): void {
  describe(title, () => {
    test(
      'of 1,000 concurrent claims of one nonce exactly one is granted, five times over',
      async () => {
        const stores = await open(fakeClock())
        for (let round = 0; round < 5; round += 1) {
          const claims = Array.from({ length: CLAIMS }, (_, index) =>
            storeOf(stores, index).claim(`n${round}`, stampedAt(NOW)),
          )
          expect((await Promise.all(claims)).filter((isFirst) => isFirst === true)).toHaveLength(1)
        }
      },
      SLOW_MS,
    )

    test(
      'different nonces that are claimed at once are all granted',
      async () => {
        const stores = await open(fakeClock())
        const claims = Array.from({ length: CLAIMS }, (_, index) =>
          storeOf(stores, index).claim(`n${index}`, stampedAt(NOW)),
        )
        expect(await Promise.all(claims)).toEqual(Array(CLAIMS).fill(true))
      },
      SLOW_MS,
    )

    test('what one connection claimed, the other does not get, as long as its timestamp can pass', async () => {
      const clock = fakeClock()
      const [one, other] = await open(clock)
      expect(await one.claim('n', stampedAt(NOW))).toBe(true)
      for (const elapsedMs of [0, 1_000, 60_000, 299_999, 300_000, 304_999]) {
        clock.set(NOW + elapsedMs)
        expect(await other.claim('n', stampedAt(NOW))).toBe(false)
        expect(await one.claim('n', stampedAt(NOW))).toBe(false)
      }
    })

    test('an expiry that is past refuses, also for a nonce that nobody claimed', async () => {
      const clock = fakeClock()
      const [store] = await open(clock)
      clock.set(stampedAt(NOW))
      expect(await store.claim('now', stampedAt(NOW))).toBe(false)
      clock.set(stampedAt(NOW) + 3_600_000)
      expect(await store.claim('long ago', stampedAt(NOW))).toBe(false)
    })

    test('a clock that returns NaN refuses', async () => {
      const clock = fakeClock()
      const [store] = await open(clock)
      clock.set(Number.NaN)
      expect(await store.claim('n', stampedAt(NOW))).toBe(false)
    })

    test('odd nonces are kept apart to the character', async () => {
      const [store] = await open(fakeClock())
      const nonces = [
        'a',
        'A',
        'a ',
        ' a',
        '',
        'ä',
        'a\u0308',
        "a' or 1=1 --",
        '$1',
        '?',
        'a\r\nSET b',
        '*',
        'x'.repeat(4_000),
      ]
      for (const nonce of nonces) expect([nonce, await store.claim(nonce, stampedAt(NOW))]).toEqual([nonce, true])
      for (const nonce of nonces) expect([nonce, await store.claim(nonce, stampedAt(NOW))]).toEqual([nonce, false])
    })
  })
}

function storeOf(stores: readonly [NonceStore, NonceStore], index: number): NonceStore {
  return index % 2 === 0 ? stores[0] : stores[1]
}
