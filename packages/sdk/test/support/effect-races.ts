import {
  type AnyCapability,
  type CapabilityHandler,
  createHandler,
  defineCapability,
  defineRuntime,
  type EffectStore,
  type HandlerOptions,
} from '@svc/sdk'
import { describe, expect, test } from 'vitest'
import { callBody, type FakeClock, fakeClock, RUNTIME_ID, read, SECRET, signedRequest } from './signed-calls.ts'

const REPEATS = 1_000
const SLOW_MS = 120_000
const KEYS = ['a', 'A', 'a ', ' a', 'ä', 'a\u0308', "a' or 1=1 --", '$1', '?', 'a\r\nSET b', '*', 'x'.repeat(1_000)]

/** A handler of one process, with an effect store of its own connection. */
export function process(
  capabilities: readonly AnyCapability[],
  effects: EffectStore,
  overrides: Partial<HandlerOptions> = {},
): CapabilityHandler {
  const runtime = defineRuntime({ capabilities, effects })
  // As a nonce store that processes share, whose work the tests of nonce stores hold.
  const nonceStore = { claim: async () => true }
  return createHandler({
    ...{ runtime, runtimeId: RUNTIME_ID, secret: SECRET, clock: fakeClock(), nonceStore, onError: () => {} },
    ...overrides,
  })
}

/** Sends a signed call. */
export async function send(handler: CapabilityHandler, capability: string, fields: Record<string, unknown> = {}) {
  return read(await handler(await signedRequest({ body: callBody(capability, fields) })))
}

/**
 * Defines what every effect store guarantees. `open` gives stores that share one memory through connections of their own;
 * each test gets an empty one.
 */
export function describeEffects(
  title: string,
  open: (clock: FakeClock) => Promise<readonly [EffectStore, EffectStore]>,
): void {
  describe(title, () => {
    const storeOf = (stores: readonly [EffectStore, EffectStore], index: number) => stores[index % 2 === 0 ? 0 : 1]

    test(
      'of 1,000 concurrent begins of one key exactly one stores its record, five times over',
      async () => {
        const stores = await open(fakeClock())
        for (let round = 0; round < 5; round += 1) {
          const begins = Array.from({ length: REPEATS }, (_, index) =>
            storeOf(stores, index).begin(`k${round}`, `record of ${index}`),
          )
          const earlier = await Promise.all(begins)
          const first = earlier.indexOf(null)
          expect(first).not.toBe(-1)
          expect(earlier.filter((record) => record !== null)).toEqual(Array(REPEATS - 1).fill(`record of ${first}`))
        }
      },
      SLOW_MS,
    )

    test(
      '1,000 concurrent repeats of one call take effect once, and all get the same answer',
      async () => {
        const [one, other] = await open(fakeClock())
        let effects = 0
        const pay = defineCapability({
          ...{ name: 'pay', version: '1.0.0' },
          handler: async () => {
            effects += 1
            await new Promise((resolve) => setTimeout(resolve, 50))
            return { receipt: effects, at: Math.random() }
          },
        })
        const handlers = [process([pay], one), process([pay], other)] as const
        const calls = Array.from({ length: REPEATS }, (_, index) => send(handlers[index % 2 === 0 ? 0 : 1], 'pay'))
        const answers = await Promise.all(calls)
        expect(effects).toBe(1)
        expect(answers[0]).toMatchObject({ status: 200, body: { output: { receipt: 1 } } })
        expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
        const asked = await send(handlers[1], 'pay', { mode: 'reconcile' })
        const { output } = Object(answers[0]?.body)
        expect(asked).toEqual({ status: 200, body: { output: { status: 'completed', output } } })
        expect(effects).toBe(1)
      },
      SLOW_MS,
    )

    test('what one connection begins and ends, the other reads', async () => {
      const [one, other] = await open(fakeClock())
      expect(await other.read('k')).toBeNull()
      expect(await one.begin('k', 'begun')).toBeNull()
      expect(await other.read('k')).toBe('begun')
      expect(await other.begin('k', 'again')).toBe('begun')
      await one.end('k', 'ended ü\\u0000\n')
      expect(await other.begin('k', 'again')).toBe('ended ü\\u0000\n')
      await other.end('lost', 'ended')
      expect(await one.read('lost')).toBe('ended')
    })

    test('different keys are kept apart to the character, and large records whole', async () => {
      const [store, other] = await open(fakeClock())
      for (const key of KEYS) expect([key, await store.begin(key, `of ${key}`)]).toEqual([key, null])
      for (const key of KEYS) expect(await other.read(key)).toBe(`of ${key}`)
      const large = 'é'.repeat(500_000)
      await store.end('large', large)
      expect(await other.read('large')).toBe(large)
    })

    test('what was answered as never run does not run, whatever comes first', async () => {
      const stores = await open(fakeClock())
      let effects = 0
      const count = defineCapability({ name: 'count', version: '1.0.0', handler: () => ++effects })
      const handlers = stores.map((store) => process([count], store))
      for (let round = 0; round < 20; round += 1) {
        const before = effects
        const callId = `call_${round}`
        const [ran, asked] = await Promise.all(
          handlers.map((handler, index) =>
            send(handler, 'count', { callId, ...(index === 1 && { mode: 'reconcile' }) }),
          ),
        )
        const told = JSON.stringify(asked?.body)
        const code = Object(ran?.body).error?.code
        if (told.includes('"never"')) expect([code, effects - before]).toEqual(['never_run', 0])
        else
          expect([told.includes('completed') || told.includes('outcome_unknown'), effects - before]).toEqual([true, 1])
      }
    })
  })
}
