import {
  CapabilityError,
  createMemoryEffectStore,
  defineCapability,
  defineRuntime,
  type EffectStore,
  type HandlerOptions,
} from '@svc/sdk'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { process, send } from '../support/effect-races.ts'
import { TEST_SEED } from '../support/seeded-random.ts'
import { serve } from '../support/serve.ts'
import { callBody, fakeClock, NOW, RUNTIME_ID, read, signedRequest } from '../support/signed-calls.ts'

const version = '1.0.0'
const HOUR_MS = 3_600_000
const PATIENT = { timeout: 10_000 }
const reconcile = { mode: 'reconcile' }

/** A store that has been open for long, as a durable one is. */
function openStore(options: Parameters<typeof createMemoryEffectStore>[0] = {}): EffectStore {
  return createMemoryEffectStore({ clock: fakeClock(NOW - 24 * HOUR_MS), lifetimeMs: 48 * HOUR_MS, ...options })
}

function setUp(overrides: Partial<HandlerOptions> = {}, store = openStore()) {
  const ran: string[] = []
  const errors: unknown[] = []
  const runs = (name: string, handler: (input: Record<string, unknown>) => unknown, effect?: 'read' | 'destructive') =>
    defineCapability({
      ...{ name, version, ...(effect && { effect }) },
      handler: (input) => {
        ran.push(name)
        return handler(input)
      },
    })
  const capabilities = [
    runs('pay', (input) => ({ paid: input, number: ran.length })),
    runs('erase', () => null, 'destructive'),
    runs('look', () => ({ number: ran.length }), 'read'),
    runs('sold-out', () => Promise.reject(new CapabilityError('Sold out.'))),
    runs('crash', () => Promise.reject(new Error('secret words of a database'))),
    runs('date', () => 1n),
    runs('nothing', () => undefined),
  ]
  const onError = (error: unknown) => errors.push(error)
  const handler = process(capabilities, store, { onError, ...overrides })
  const call = (name: string, fields?: Record<string, unknown>) => send(handler, name, fields)
  return { call, ran, errors, store, handler, capabilities }
}

/** A store whose every step waits until it is let go or broken. */
function faulty(store: EffectStore, fault: (step: 'begin' | 'end' | 'read') => void | Promise<void>): EffectStore {
  return {
    ...store,
    begin: async (key, record) => {
      await fault('begin')
      return store.begin(key, record)
    },
    end: async (key, record) => {
      await fault('end')
      return store.end(key, record)
    },
    read: async (key) => {
      await fault('read')
      return store.read(key)
    },
  }
}

function failed(code: string, message: unknown = expect.any(String)) {
  return { status: 200, body: { output: null, error: { code, message } } }
}

describe('a repeated call', () => {
  test.each([
    ['pay', { output: { paid: { a: [1, 'ü'] }, number: 1 } }],
    ['erase', { output: null }],
    ['nothing', { output: null }],
    ['sold-out', { output: null, error: { code: 'capability_error', message: 'Sold out.' } }],
    [
      'crash',
      { output: null, error: { code: 'handler_failed', message: 'The capability failed. Its callId is call_1.' } },
    ],
    ['date', { output: null, error: { code: 'output_invalid', message: expect.stringContaining('written as JSON') } }],
  ])('of “%s” gets the recorded answer and runs nothing', async (name, body) => {
    const { call, ran, errors } = setUp()
    const first = await call(name, { input: { a: [1, 'ü'] } })
    expect(first).toEqual({ status: 200, body })
    const reported = errors.length
    expect(await call(name, { input: { a: [1, 'ü'] } })).toEqual(first)
    expect([ran, errors.length]).toEqual([[name], reported])
  })

  test('of a capability that only reads runs again, and leaves no record', async () => {
    const { call, ran, store } = setUp()
    expect([await call('look'), await call('look')]).toMatchObject([{ body: { output: { number: 1 } } }, {}])
    expect(ran).toEqual(['look', 'look'])
    expect(await store.read(`${RUNTIME_ID}:call_1`)).toBeNull()
  })

  test('without a store runs again, as before', async () => {
    let runs = 0
    const { call } = serve([defineCapability({ name: 'pay', version, handler: () => ++runs })])
    expect([await call('pay'), await call('pay')]).toMatchObject([{ body: { output: 1 } }, { body: { output: 2 } }])
  })

  test.each([
    ['other input', 'pay', { input: { a: 2 } }],
    ['other metadata', 'pay', { metadata: { page: '/' } }],
    ['another end user', 'pay', { endUserToken: 'session-of-mallory' }],
    ['another capability', 'erase', {}],
  ])('with %s is another call: it is refused', async (_what, name, fields) => {
    const { call, ran } = setUp()
    await call('pay', { endUserToken: 'session-of-ada' })
    expect(await call(name, { endUserToken: 'session-of-ada', ...fields })).toEqual(failed('call_id_reused'))
    expect(ran).toEqual(['pay'])
  })

  test('that comes at the same time with other input is refused, too', async () => {
    const { call, ran } = setUp()
    const answers = await Promise.all([call('pay', { input: { a: 1 } }), call('pay', { input: { a: 2 } })])
    const paid = { status: 200, body: { output: { paid: { a: expect.any(Number) }, number: 1 } } }
    expect(answers).toEqual(expect.arrayContaining([paid, failed('call_id_reused')]))
    expect(ran).toEqual(['pay'])
  })

  test('of another runtime in the same store is a call of its own', async () => {
    const { call, ran, store, capabilities } = setUp()
    await call('pay')
    const other = process(capabilities, store, { runtimeId: 'rt_other0001' })
    const request = signedRequest({ body: callBody('pay'), runtimeId: 'rt_other0001' })
    expect(await read(await other(await request))).toMatchObject({ body: { output: { number: 2 } } })
    expect(ran).toHaveLength(2)
  })

  test('gets the same bytes, whatever the output', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (output) => {
        const echo = defineCapability({ name: 'echo', version, handler: () => output })
        const handler = process([echo], openStore())
        const text = async () => (await handler(await signedRequest({ body: callBody('echo') }))).text()
        expect(await text()).toBe(await text())
      }),
      { numRuns: 100, seed: TEST_SEED },
    )
  })

  test('of an output that is too large to be recorded is completed all the same', async () => {
    const big = defineCapability({ name: 'big', version, handler: () => 'ü'.repeat(50) })
    const handler = process([big], openStore({ maxAnswerBytes: 101 }))
    expect(await send(handler, 'big')).toEqual({ status: 200, body: { output: 'ü'.repeat(50) } })
    const kept = { truncated: true, bytes: 102 }
    expect(await send(handler, 'big')).toEqual({ status: 200, body: { output: kept } })
    expect(await send(handler, 'big', reconcile)).toEqual({
      status: 200,
      body: { output: { status: 'completed', output: kept } },
    })
  })
})

describe('a process that ends in the middle', () => {
  /** A call that another process has begun, and never ends. */
  async function abandoned(overrides: Partial<HandlerOptions> = {}) {
    const store = openStore()
    const stuck = defineCapability({ name: 'pay', version, handler: () => new Promise(() => {}) })
    const dying = process([stuck], store)
    void send(dying, 'pay')
    await vi.waitFor(async () => expect(await store.read(`${RUNTIME_ID}:call_1`)).not.toBeNull(), PATIENT)
    return setUp({ effectWaitMs: 60, ...overrides }, store)
  }

  test('leaves a call that is not run again, and says when it was begun', async () => {
    const { call, ran } = await abandoned()
    const message = expect.stringMatching(/begun at 2026-01-01T00:00:00.000Z.*may have taken effect.*not run again/)
    expect(await call('pay')).toEqual(failed('outcome_unknown', message))
    expect(ran).toEqual([])
  })

  test('leaves a call that is neither completed nor never run: the service asks again', async () => {
    const { call } = await abandoned()
    expect(await call('pay', reconcile)).toEqual(failed('outcome_unknown'))
    expect(await call('pay', reconcile)).toEqual(failed('outcome_unknown'))
  })

  test('is waited for no longer than the bound, also by repeats in its own process', async () => {
    const stuck = defineCapability({ name: 'pay', version, handler: () => new Promise(() => {}) })
    const store = openStore()
    const handler = process([stuck], store, { effectWaitMs: 30 })
    void send(handler, 'pay')
    await vi.waitFor(async () => expect(await store.read(`${RUNTIME_ID}:call_1`)).not.toBeNull(), PATIENT)
    expect(await Promise.all([send(handler, 'pay'), send(handler, 'pay')])).toEqual([
      failed('outcome_unknown'),
      failed('outcome_unknown'),
    ])
  })

  test('a record that is there in time ends the wait', async () => {
    const { call, store } = await abandoned({ effectWaitMs: 10_000 })
    const waiting = call('pay')
    const begun = JSON.parse((await store.read(`${RUNTIME_ID}:call_1`)) ?? '')
    const outcome = { status: 'completed', output: { from: 'elsewhere' } }
    await store.end(`${RUNTIME_ID}:call_1`, JSON.stringify({ ...begun, outcome }))
    expect(await waiting).toEqual({ status: 200, body: { output: { from: 'elsewhere' } } })
  })
})

describe('a store that fails', () => {
  test('before the call refuses it: 503, and the handler does not run', async () => {
    let isBroken = true
    const broken = faulty(openStore(), () => {
      if (isBroken) throw new Error('connection refused')
    })
    const { call, ran, errors } = setUp({}, broken)
    expect(await call('pay')).toEqual({ status: 503, body: { error: 'effect_store_unavailable' } })
    expect(await call('pay', reconcile)).toEqual({ status: 503, body: { error: 'effect_store_unavailable' } })
    expect(await call('look')).toMatchObject({ status: 200 })
    expect([ran, errors.length]).toEqual([['look'], 2])
    isBroken = false
    expect(await call('pay')).toMatchObject({ status: 200 })
  })

  test('by silence refuses it, too', async () => {
    const silent = faulty(openStore(), () => new Promise(() => {}))
    const { call, ran, errors } = setUp({ effectTimeoutMs: 20 }, silent)
    expect(await call('pay')).toEqual({ status: 503, body: { error: 'effect_store_unavailable' } })
    expect(ran).toEqual([])
    expect(errors).toEqual([new Error('The effect store did not answer within 20 ms.')])
  })

  test('because it is full says so', async () => {
    const { call, ran } = setUp({}, openStore({ maxEntries: 0 }))
    expect(await call('pay')).toEqual({ status: 503, body: { error: 'effect_store_full' } })
    expect(ran).toEqual([])
  })

  test('after the handler changes no answer, and no repeat runs it again', async () => {
    const broken = faulty(openStore(), (step) => {
      if (step === 'end') throw new Error('connection lost')
    })
    const { call, ran, errors } = setUp({ effectWaitMs: 30 }, broken)
    expect(await call('pay')).toMatchObject({ status: 200, body: { output: { number: 1 } } })
    expect(errors).toEqual([new Error('connection lost')])
    expect(await call('pay')).toEqual(failed('outcome_unknown'))
    expect(await call('pay', reconcile)).toEqual(failed('outcome_unknown'))
    expect(ran).toEqual(['pay'])
  })

  test('while a repeat waits leaves its outcome unknown', async () => {
    const store = openStore()
    const stuck = defineCapability({ name: 'pay', version, handler: () => new Promise(() => {}) })
    void send(process([stuck], store), 'pay')
    await vi.waitFor(async () => expect(await store.read(`${RUNTIME_ID}:call_1`)).not.toBeNull(), PATIENT)
    const broken = faulty(store, (step) => {
      if (step === 'read') throw new Error('connection lost')
    })
    const { call, errors } = setUp({}, broken)
    expect(await call('pay')).toEqual(failed('outcome_unknown'))
    expect(errors).toEqual([new Error('connection lost')])
  })

  test.each(['', '{}', 'null', '[]', '{"capability":"pay","request":"","begunAt":1,"outcome":{"status":"done"}}'])(
    'with the record %j, which it was not given, refuses the call',
    async (record) => {
      const { call, ran } = setUp(
        {},
        faulty({ ...openStore(), begin: async () => record }, () => {}),
      )
      expect(await call('pay')).toEqual({ status: 503, body: { error: 'effect_store_unavailable' } })
      expect(ran).toEqual([])
    },
  )
})

describe('reconcile', () => {
  test('tells how a call ended, and runs nothing', async () => {
    const { call, ran } = setUp()
    await call('pay', { callId: 'call_a', input: { a: 1 } })
    await call('sold-out', { callId: 'call_b' })
    ran.length = 0
    const completed = { status: 'completed', output: { paid: { a: 1 }, number: 1 } }
    expect(await call('pay', { callId: 'call_a', ...reconcile })).toEqual({ status: 200, body: { output: completed } })
    expect(await call('sold-out', { callId: 'call_b', ...reconcile })).toEqual({
      status: 200,
      body: { output: { status: 'failed', message: 'Sold out.' } },
    })
    expect(ran).toEqual([])
  })

  test('answers never where nothing was begun, and holds to it when the call arrives late', async () => {
    const { call, ran } = setUp()
    const never = { status: 200, body: { output: { status: 'never' } } }
    expect(await call('pay', reconcile)).toEqual(never)
    expect(await call('pay')).toEqual(failed('never_run'))
    expect(await call('pay', reconcile)).toEqual(never)
    expect(ran).toEqual([])
  })

  test('of a call that runs at this moment is told that its outcome is not known yet', async () => {
    let finish: (value: string) => void = () => {}
    const slow = defineCapability({
      name: 'slow',
      version,
      handler: () => new Promise((resolve) => (finish = resolve)),
    })
    const store = openStore()
    const handler = process([slow], store)
    const running = send(handler, 'slow')
    await vi.waitFor(async () => expect(await store.read(`${RUNTIME_ID}:call_1`)).not.toBeNull(), PATIENT)
    expect(await send(handler, 'slow', reconcile)).toEqual(failed('outcome_unknown'))
    finish('done')
    await running
    expect(await send(handler, 'slow', reconcile)).toMatchObject({ body: { output: { status: 'completed' } } })
  })

  test('of a capability that only reads, or of another capability’s call, is no outcome', async () => {
    const { call } = setUp()
    expect(await call('look', reconcile)).toEqual(failed('outcome_unknown'))
    await call('pay')
    expect(await call('erase', reconcile)).toEqual(failed('call_id_reused'))
  })

  test('needs neither the end user nor the same input: they may be gone', async () => {
    const guarded = defineCapability({
      ...{ name: 'pay', version, requiresEndUser: true },
      input: z.object({ a: z.number() }),
      handler: ({ a }) => a,
    })
    const handler = process([guarded], openStore())
    await send(handler, 'pay', { endUserToken: 'session-of-ada', input: { a: 1 } })
    expect(await send(handler, 'pay', { ...reconcile, input: { truncated: true } })).toEqual({
      status: 200,
      body: { output: { status: 'completed', output: 1 } },
    })
  })

  // The first ten digits of an id are its time.
  test.each([
    ['before the store was opened', 'call_01KDVA7EC00000000000000000', 'outcome_unknown'],
    ['less than five minutes after it was opened', 'call_01KDVDNA000000000000000000', 'outcome_unknown'],
    ['an hour after it was opened', 'call_01KDVH35M00000000000000000', 'never'],
  ])('of a call that was made %s', async (_when, callId, expected) => {
    const clock = fakeClock(NOW)
    const store = createMemoryEffectStore({ clock })
    clock.set(NOW + 2 * HOUR_MS)
    const handler = process([defineCapability({ name: 'pay', version, handler: () => 1 })], store, { clock })
    const timestamp = String(clock.now())
    const request = signedRequest({ body: callBody('pay', { callId, ...reconcile }), timestamp })
    const { body } = await read(await handler(await request))
    expect(JSON.stringify(body)).toContain(`"${expected}"`)
  })

  test('of a process that has just started never says never, as its memory is empty', async () => {
    const { call } = setUp({}, createMemoryEffectStore({ clock: fakeClock() }))
    expect(await call('pay', reconcile)).toEqual(failed('outcome_unknown'))
    expect(await call('pay')).toMatchObject({ status: 200, body: { output: { number: 1 } } })
  })

  test('of a runtime without a store is refused', async () => {
    const { call, reported } = serve([defineCapability({ name: 'pay', version, handler: () => 1 })])
    const message = expect.stringContaining('pass effects to defineRuntime()')
    expect(await call('pay', reconcile)).toEqual({ status: 400, body: { error: 'unsupported_mode', message } })
    expect(reported).toHaveLength(1)
  })
})

describe('a mode that is not known', () => {
  test.each(['undo', '', 'RECONCILE', null, 1, true, {}, []])('%j is refused, and nothing runs', async (mode) => {
    const { call, ran } = setUp()
    expect(await call('pay', { mode })).toMatchObject({ status: 400, body: { error: 'unsupported_mode' } })
    expect(await call('look', { mode })).toMatchObject({ status: 400, body: { error: 'unsupported_mode' } })
    expect(ran).toEqual([])
  })
})

test('a clock that leaps refuses calls before the store is asked', async () => {
  const clock = fakeClock()
  const steps: string[] = []
  const store = faulty(openStore(), (step) => void steps.push(step))
  const handler = process([defineCapability({ name: 'pay', version, handler: () => 1 })], store, { clock })
  clock.set(NOW + 48 * HOUR_MS)
  expect(await send(handler, 'pay')).toMatchObject({ status: 401, body: { error: 'timestamp_outside_tolerance' } })
  expect(steps).toEqual([])
})

test('an effect store is asked for by its form: a nonce store in its place is refused', () => {
  // @ts-expect-error a nonce store
  expect(() => defineRuntime({ capabilities: [], effects: { claim: async () => true } })).toThrow(/not an effect store/)
  const store = openStore()
  expect(defineRuntime({ capabilities: [], effects: store }).effects).toBe(store)
  expect('effects' in defineRuntime({ capabilities: [] })).toBe(false)
})
