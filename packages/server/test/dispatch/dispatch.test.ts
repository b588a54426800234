import { getEventListeners } from 'node:events'
import { startOwnerEndpoint } from '@svc/testkit'
import { describe, expect, test } from 'vitest'
import { createNonce } from '../../src/dispatch/attempts.ts'
import type { DispatchTarget } from '../../src/dispatch/call-types.ts'
import { FAILURES, unknownOutcome } from '../../src/dispatch/failures.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { callOf, NOW, setUpDispatcher, setUpEndpoint, TOKEN, targetOf } from './setup.ts'

describe('a call', () => {
  // holds OUT-01, OUT-02, SIG-02, SIG-04, SVC-02
  test('it reaches the capability as the interface says, signed over the very bytes that were sent', async () => {
    const endpoint = await setUpEndpoint({
      handle: { 'search-products': ({ input }) => ({ output: { found: input } }) },
    })
    const { dispatcher, lines } = setUpDispatcher()
    const call = callOf({ input: { query: 'lämp 🏕️' }, metadata: { page: '/home' } })
    const result = await dispatcher.dispatch(targetOf(endpoint), call)
    const output = JsonDocument.of({ found: { query: 'lämp 🏕️' } })
    expect(result).toEqual({ ok: true, output, redacted: output, durationMs: 0 })
    const { executionId, callId, capability, input, metadata } = call
    const [received] = endpoint.effects
    expect(JSON.parse(received?.body ?? '')).toEqual({
      executionId,
      callId,
      capability,
      input: input.value,
      metadata: metadata.value,
      endUserToken: TOKEN,
    })
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(received?.body ?? '')),
      'accept-encoding': 'identity',
      'x-svc-runtime-id': endpoint.runtimeId,
      'x-svc-timestamp': String(NOW),
      'x-svc-nonce': 'nonce-1',
      'x-svc-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
      'x-svc-execution-id': executionId,
      'idempotency-key': callId,
      'user-agent': 'svc',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    })
    expect(lines).toEqual([])
  })

  // holds OUT-02
  test('without an end user there is no token in the body at all', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher } = setUpDispatcher()
    await dispatcher.dispatch(targetOf(endpoint), callOf({ endUserToken: undefined }))
    expect(JSON.parse(endpoint.effects[0]?.body ?? '')).not.toHaveProperty('endUserToken')
  })

  test('the path and query of the endpoint are called as they are', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher } = setUpDispatcher()
    const target = { ...targetOf(endpoint), endpoint: `${endpoint.url}/deep%20path?tenant=7&x=%2F` }
    expect(await dispatcher.dispatch(target, callOf())).toMatchObject({ ok: true })
    expect(endpoint.paths).toEqual(['/svc/deep%20path?tenant=7&x=%2F'])
  })

  // holds OUT-01
  test('a caller’s traceparent goes with it', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher } = setUpDispatcher()
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await dispatcher.dispatch(targetOf(endpoint), callOf({ traceparent }))
    expect(endpoint.effects[0]?.headers['traceparent']).toBe(traceparent)
  })

  // holds SIG-05
  test('every nonce is of its own, 128 random bits, where none are handed in', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher } = setUpDispatcher({ randomNonce: createNonce })
    for (let count = 0; count < 20; count += 1) await dispatcher.dispatch(targetOf(endpoint), callOf())
    const nonces = endpoint.effects.map((call) => String(call.headers['x-svc-nonce']))
    expect(new Set(nonces).size).toBe(20)
    for (const nonce of nonces) expect(nonce).toMatch(/^[A-Za-z0-9_-]{22}$/)
  })

  // holds OUT-04
  test('a capability’s own failure keeps its message and is not logged', async () => {
    const endpoint = await setUpEndpoint({
      handle: { 'search-products': () => ({ error: { message: 'Out of stock.' } }) },
    })
    const { dispatcher, lines } = setUpDispatcher()
    const result = await dispatcher.dispatch(targetOf(endpoint), callOf())
    expect(result).toEqual({ ok: false, message: 'Out of stock.', durationMs: 0 })
    expect(lines).toEqual([])
    expect(dispatcher.healthOf({ runtimeId: endpoint.runtimeId, endpoint: endpoint.url })).toBe('healthy')
  })

  test('its duration is what the clock says', async () => {
    const { dispatcher, clock } = setUpDispatcher()
    const endpoint = await setUpEndpoint({
      handle: {
        'search-products': () => {
          clock.time += 1234
          return { output: 1 }
        },
      },
    })
    expect(await dispatcher.dispatch(targetOf(endpoint), callOf())).toMatchObject({ ok: true, durationMs: 1234 })
  })

  test('calls in a row share connections', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher } = setUpDispatcher()
    for (let count = 0; count < 10; count += 1) await dispatcher.dispatch(targetOf(endpoint), callOf())
    expect(endpoint.effects).toHaveLength(10)
    expect(endpoint.connections).toBeLessThanOrEqual(2)
  })
})

describe('a caller that disconnects', () => {
  test('ends the call as cancelled, and the connection with it', async () => {
    const controller = new AbortController()
    const endpoint = await setUpEndpoint({
      handle: {
        'search-products': () => {
          controller.abort()
          return { fault: 'silence' }
        },
      },
    })
    const { dispatcher, lines } = setUpDispatcher()
    const result = await dispatcher.dispatch(targetOf(endpoint), callOf({ signal: controller.signal }))
    expect(result).toMatchObject({
      ok: false,
      message: unknownOutcome(FAILURES.cancelled),
      unknownAt: expect.any(Number),
    })
    expect(lines).toEqual([])
    await endpoint.whenLeft()
    expect(dispatcher.healthOf({ runtimeId: endpoint.runtimeId, endpoint: endpoint.url })).toBe('unknown')
  })

  test('before the call began keeps it from being sent', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher } = setUpDispatcher()
    const result = await dispatcher.dispatch(targetOf(endpoint), callOf({ signal: AbortSignal.abort() }))
    expect(result).toMatchObject({ ok: false, message: FAILURES.cancelled.message })
    expect(endpoint.connections).toBe(0)
  })

  test('while the name is being resolved ends the call at once, and nothing is sent later', async () => {
    const controller = new AbortController()
    let answer = (_: readonly string[]) => {}
    const resolve = () => {
      queueMicrotask(() => controller.abort())
      return new Promise<readonly string[]>((settle) => {
        answer = settle
      })
    }
    const { dispatcher, tries } = setUpDispatcher({ resolve })
    const target = targetOf({ url: 'https://shop.example/svc', runtimeId: 'rt_slow0001', secret: 'x' })
    const result = await dispatcher.dispatch(target, callOf({ signal: controller.signal }))
    expect(result).toMatchObject({ ok: false, message: FAILURES.cancelled.message })
    answer([])
    expect(tries()).toBe(1)
  })

  test('while the connection is being made keeps the call from being sent on it', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher, tries } = setUpDispatcher()
    const controller = new AbortController()
    const abandoned = dispatcher.dispatch(targetOf(endpoint), callOf({ signal: controller.signal }))
    expect(tries()).toBe(1)
    controller.abort()
    expect(await abandoned).toMatchObject({ ok: false, message: FAILURES.cancelled.message })
    const next = callOf()
    await dispatcher.dispatch(targetOf(endpoint), next)
    expect(endpoint.effects.map((effect) => effect.callId)).toEqual([next.callId])
  })

  test('leaves no listener on a signal that outlives the call', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher } = setUpDispatcher()
    const { signal } = new AbortController()
    for (let count = 0; count < 50; count += 1) await dispatcher.dispatch(targetOf(endpoint), callOf({ signal }))
    expect(endpoint.effects).toHaveLength(50)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('concurrent calls', () => {
  test('the 51st concurrent call to one endpoint is refused, and the next is accepted once calls end', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const endpoint = await setUpEndpoint({
      handle: { 'search-products': () => gate.then(() => ({ output: 1 })) },
    })
    const { dispatcher } = setUpDispatcher()
    const target = targetOf(endpoint)
    const underWay = Array.from({ length: 50 }, () => dispatcher.dispatch(target, callOf()))
    expect(await dispatcher.dispatch(target, callOf())).toMatchObject({ ok: false, message: FAILURES.busy.message })
    open()
    const results = await Promise.all(underWay)
    expect(results.filter((result) => result.ok)).toHaveLength(50)
    expect(await dispatcher.dispatch(target, callOf())).toMatchObject({ ok: true })
  })

  test('no answer is ever given to another call, with a third of them aborted in the middle', async () => {
    const endpoint = await setUpEndpoint({
      handle: { 'search-products': ({ callId, input }) => ({ output: { callId, canary: input['canary'] } }) },
    })
    const { dispatcher } = setUpDispatcher()
    let mixedUp = 0
    let answered = 0
    const one = async (index: number) => {
      const controller = new AbortController()
      const call = callOf({
        input: { canary: `canary-${index % 20}`, pad: 'x'.repeat(index * 7) },
        signal: controller.signal,
      })
      const target = { ...targetOf(endpoint) }
      const result = dispatcher.dispatch(target, call)
      if (index % 3 === 0) abortAfterTurns(controller, index % 17)
      const settled = await result
      if (!settled.ok) return
      answered += 1
      const expected = { callId: call.callId, canary: `canary-${index % 20}` }
      if (JSON.stringify(settled.output) !== JSON.stringify(expected)) mixedUp += 1
    }
    for (let round = 0; round < 30; round += 1) {
      await Promise.all(Array.from({ length: 40 }, (_, index) => one(round * 40 + index)))
    }
    expect(mixedUp).toBe(0)
    expect(answered).toBeGreaterThanOrEqual(800)
  })
})

function abortAfterTurns(controller: AbortController, turns: number): void {
  if (turns === 0) controller.abort()
  else setImmediate(() => abortAfterTurns(controller, turns - 1))
}

describe('closing', () => {
  test('cancels calls in flight, closes connections and sends no further call', async () => {
    const endpoint = await setUpEndpoint()
    const { dispatcher, tries } = setUpDispatcher()
    endpoint.script('search-products', () => {
      queueMicrotask(() => void dispatcher.close())
      return { fault: 'silence' }
    })
    const result = await dispatcher.dispatch(targetOf(endpoint), callOf())
    expect(result).toMatchObject({
      ok: false,
      message: unknownOutcome(FAILURES.cancelled),
      unknownAt: expect.any(Number),
    })
    await endpoint.whenIdle()
    const later = await dispatcher.dispatch(targetOf(endpoint), callOf())
    expect(later).toMatchObject({ ok: false, message: FAILURES.cancelled.message })
    expect(endpoint.effects).toHaveLength(1)
    expect(tries()).toBe(2)
  })
})

describe('an endpoint that does not answer', () => {
  test('its circuit opens after ten calls, stays open for fifteen seconds, and closes when a probe is answered', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ fault: 'status', status: 503 }) } })
    const { dispatcher, clock } = setUpDispatcher()
    const target = targetOf(endpoint)
    for (let count = 0; count < 10; count += 1) {
      const result = await dispatcher.dispatch(target, callOf())
      expect(result).toMatchObject({ ok: false, message: 'The endpoint answered with status 503.' })
    }
    expect(dispatcher.healthOf({ runtimeId: endpoint.runtimeId, endpoint: endpoint.url })).toBe('unreachable')
    expect(await dispatcher.dispatch(target, callOf())).toMatchObject({ ok: false, message: FAILURES.paused.message })
    expect(endpoint.effects).toHaveLength(10)
    endpoint.script('search-products', () => ({ output: 'back' }))
    clock.time += 15_000
    expect(await dispatcher.dispatch(target, callOf())).toMatchObject({ ok: true, output: JsonDocument.of('back') })
    expect(dispatcher.healthOf({ runtimeId: endpoint.runtimeId, endpoint: endpoint.url })).toBe('degraded')
    expect(await dispatcher.dispatch(target, callOf())).toMatchObject({ ok: true })
  })

  // holds OUT-12
  test('answers of the 4xx kind and capability failures never open it', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ fault: 'status', status: 429 }) } })
    const { dispatcher } = setUpDispatcher()
    for (let count = 0; count < 30; count += 1) await dispatcher.dispatch(targetOf(endpoint), callOf())
    expect(endpoint.effects).toHaveLength(30)
    expect(dispatcher.healthOf({ runtimeId: endpoint.runtimeId, endpoint: endpoint.url })).toBe('healthy')
  })

  // holds CON-12
  test('one runtime’s circuit does not hold up another', async () => {
    const broken = await setUpEndpoint({ handle: { 'search-products': () => ({ fault: 'status', status: 500 }) } })
    const sound = await startOwnerEndpoint({ now: () => NOW, handle: { 'search-products': () => ({ output: 1 }) } })
    const { dispatcher } = setUpDispatcher()
    for (let count = 0; count < 12; count += 1) await dispatcher.dispatch(targetOf(broken), callOf())
    const other = { ...targetOf(sound), runtimeId: 'rt_other0001' }
    sound.trust({ runtimeId: 'rt_other0001' })
    expect(await dispatcher.dispatch(other, callOf())).toMatchObject({ ok: true })
    await sound.close()
  })
})

describe('a rotated secret', () => {
  const OLD = new Secret('the-old-secret')
  const NEW = new Secret('the-new-secret')
  const rotated = (expiresAt: number) => ({ current: NEW, previous: { secret: OLD, expiresAt } })

  async function setUp() {
    const endpoint = await setUpEndpoint({ secret: OLD.reveal(), handle: { 'search-products': () => ({ output: 1 }) } })
    const setup = setUpDispatcher()
    const base = { ownerId: 'owner', runtimeId: endpoint.runtimeId, endpoint: endpoint.url }
    const dispatch = (
      secrets: DispatchTarget['secrets'] = rotated(NOW + 1),
      readSecrets?: DispatchTarget['readSecrets'],
    ) => setup.dispatcher.dispatch({ ...base, secrets, ...(readSecrets && { readSecrets }) }, callOf())
    return { endpoint, dispatch, ...setup }
  }

  // holds OUT-11
  test('an endpoint that still holds the previous one is called with that, at the first try', async () => {
    const { endpoint, dispatch, tries } = await setUp()
    expect(await dispatch()).toMatchObject({ ok: true })
    expect(tries()).toBe(1)
    expect(endpoint.refusals).toEqual([])
  })

  // holds OUT-10
  test('an endpoint that holds the new one gets it after one 401, under the same call id with a fresh nonce', async () => {
    const { endpoint, dispatch, tries, dispatcher } = await setUp()
    endpoint.trust({ secrets: [NEW.reveal()] })
    expect(await dispatch()).toMatchObject({ ok: true })
    expect(endpoint.refusals).toEqual(['signature_mismatch'])
    expect(endpoint.effects).toHaveLength(1)
    expect(endpoint.effects[0]?.headers['x-svc-nonce']).toBe('nonce-2')
    expect(endpoint.effects[0]?.headers['idempotency-key']).toBe(endpoint.effects[0]?.callId)
    expect(tries()).toBe(2)
    expect(dispatcher.healthOf({ runtimeId: endpoint.runtimeId, endpoint: endpoint.url })).toBe('healthy')
  })

  // holds OUT-10
  test('the secret that last worked is tried first from then on', async () => {
    const { endpoint, dispatch, tries } = await setUp()
    endpoint.trust({ secrets: [NEW.reveal()] })
    for (let count = 0; count < 5; count += 1) await dispatch()
    expect(endpoint.refusals).toHaveLength(1)
    expect(tries()).toBe(6)
    endpoint.trust({ secrets: [OLD.reveal()] })
    for (let count = 0; count < 5; count += 1) await dispatch()
    expect(endpoint.refusals).toHaveLength(2)
    expect(endpoint.effects).toHaveLength(10)
  })

  test('a success from before the rotation keeps the previous one first', async () => {
    const { endpoint, dispatch } = await setUp()
    await dispatch({ current: new Secret(OLD.reveal()), previous: { secret: new Secret('older'), expiresAt: NOW + 1 } })
    const refusedBefore = endpoint.refusals.length
    expect(await dispatch()).toMatchObject({ ok: true })
    expect(endpoint.refusals).toHaveLength(refusedBefore)
  })

  // holds KEY-21
  test('an expired previous secret signs nothing', async () => {
    const { endpoint, dispatch, tries } = await setUp()
    expect(await dispatch(rotated(NOW))).toMatchObject({ ok: false, message: 'The endpoint answered with status 401.' })
    expect(endpoint.refusals).toEqual(['signature_mismatch'])
    expect(tries()).toBe(1)
  })

  // holds OUT-12
  test('an endpoint that refuses both is asked twice and no more, and its connection is not blamed', async () => {
    const { endpoint, dispatch, tries, dispatcher } = await setUp()
    endpoint.trust({ secrets: ['something else'] })
    for (let count = 0; count < 20; count += 1) {
      expect(await dispatch()).toMatchObject({ ok: false, message: 'The endpoint answered with status 401.' })
    }
    expect(tries()).toBe(40)
    expect(endpoint.effects).toEqual([])
    expect(dispatcher.healthOf({ runtimeId: endpoint.runtimeId, endpoint: endpoint.url })).toBe('healthy')
  })

  describe('that is not known of yet', () => {
    const known = { current: OLD, previous: null }

    test('is read where the endpoint refuses the one that is known, and only there', async () => {
      const { endpoint, dispatch, tries } = await setUp()
      let reads = 0
      const read = async () => {
        reads += 1
        return rotated(NOW + 1)
      }
      expect(await dispatch(known, read)).toMatchObject({ ok: true })
      expect([tries(), reads]).toEqual([1, 0])
      endpoint.trust({ secrets: [NEW.reveal()] })
      expect(await dispatch(known, read)).toMatchObject({ ok: true })
      expect([tries(), reads]).toEqual([3, 1])
    })

    test.each([
      ['is the same', async () => known],
      ['is gone', async () => null],
      ['cannot be read', () => Promise.reject(new Error('the database is away'))],
    ])('leaves the refusal as it is where it %s', async (_, read) => {
      const { endpoint, dispatch, tries } = await setUp()
      endpoint.trust({ secrets: ['something else'] })
      expect(await dispatch(known, read)).toMatchObject({ message: 'The endpoint answered with status 401.' })
      expect(tries()).toBe(1)
    })
  })
})
