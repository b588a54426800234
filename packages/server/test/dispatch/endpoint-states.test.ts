import { describe, expect, test } from 'vitest'
import { EndpointStates, type Permit } from '../../src/dispatch/endpoint-states.ts'
import { type CallFailure, FAILURES, statusFailure } from '../../src/dispatch/failures.ts'

const SHOP = { runtimeId: 'rt_shop0001', endpoint: 'https://shop.example/svc' }
const MINUTE = 60_000

function acquire(states: EndpointStates, target: typeof SHOP, now: number): Permit {
  const permit = states.acquire(target, now)
  if (!('state' in permit)) throw new Error(permit.message)
  return permit
}

const ENDS = { worked: null, failed: FAILURES.unreachable, unknown: FAILURES.cancelled } as const

function run(states: EndpointStates, ends: readonly (keyof typeof ENDS | CallFailure)[], now: number): void {
  for (const end of ends) states.release(acquire(states, SHOP, now), typeof end === 'string' ? ENDS[end] : end, now)
}

describe('calls in flight', () => {
  test('a runtime at its limit does not hold up another one', () => {
    const states = new EndpointStates()
    for (let call = 0; call < 50; call += 1) acquire(states, SHOP, 0)
    expect(states.acquire({ ...SHOP, runtimeId: 'rt_other001' }, 0)).toHaveProperty('state')
  })
})

describe('health', () => {
  // holds CON-11
  test('the health of a runtime that was never called is unknown', () => {
    expect(new EndpointStates().healthOf({ runtimeId: 'rt_unknown1', endpoint: SHOP.endpoint }, 0)).toBe('unknown')
  })

  // holds CON-07, CON-08
  test('one failed call makes it degraded at once, the third in a row unreachable, and an answer ends that', () => {
    const states = new EndpointStates()
    run(states, Array(17).fill('worked'), 0)
    const healths = (['failed', 'failed', 'failed', 'worked', 'worked'] as const).map((transport) => {
      run(states, [transport], 0)
      return states.healthOf(SHOP, 0)
    })
    expect(healths).toEqual(['degraded', 'degraded', 'unreachable', 'healthy', 'healthy'])
  })

  // holds CON-07
  test('a fifth of the last twenty calls makes it degraded, less does not', () => {
    const states = new EndpointStates()
    run(states, [...Array(3).fill('failed'), ...Array(17).fill('worked')], 0)
    expect(states.healthOf(SHOP, 0)).toBe('healthy')
    run(states, [...Array(4).fill('failed'), ...Array(16).fill('worked')], 0)
    expect(states.healthOf(SHOP, 0)).toBe('degraded')
    run(states, Array(17).fill('worked'), 0)
    expect(states.healthOf(SHOP, 0)).toBe('healthy')
  })

  // holds CON-07
  test('failures older than fifteen minutes do not count any more', () => {
    const states = new EndpointStates()
    run(states, ['failed', 'failed', 'failed'], 0)
    expect(states.healthOf(SHOP, 15 * MINUTE - 1)).toBe('unreachable')
    expect(states.healthOf(SHOP, 15 * MINUTE)).toBe('unknown')
  })

  // holds CON-08
  test('an open circuit makes it unreachable until a probe works', () => {
    const states = new EndpointStates()
    run(states, Array(10).fill('failed'), 0)
    expect(states.healthOf(SHOP, 0)).toBe('unreachable')
    expect(states.acquire(SHOP, 1)).toBe(FAILURES.paused)
    const probe = acquire(states, SHOP, 15_000)
    expect(states.healthOf(SHOP, 15_000)).toBe('unreachable')
    states.release(probe, null, 15_001)
    expect(states.healthOf(SHOP, 15_001)).toBe('degraded')
  })

  test('the note for the owner says what to fix, without a capability’s own message', () => {
    const noteAfter = (...ends: (keyof typeof ENDS | CallFailure)[]) => {
      const states = new EndpointStates()
      run(states, ends, 0)
      return states.healthNote(SHOP, 0)
    }
    const unreachable = 'The endpoint could not be reached. Is your server running?'
    expect(noteAfter()).toBeNull()
    expect(noteAfter('worked')).toBeNull()
    expect(noteAfter({ message: 'Order A-1 is on its way.', transport: 'worked' })).toBeNull()
    expect(noteAfter('worked', 'failed')).toBe(`The last call or probe failed. ${unreachable}`)
    expect(noteAfter('failed', 'failed')).toBe(`The last calls and probes failed. ${unreachable}`)
    expect(noteAfter('failed', 'worked')).toBe('1 of the last 2 calls and probes failed, but the last one got through.')
    expect(noteAfter(statusFailure(401))).toBe(
      'The last call or probe was refused. The endpoint answered with status 401. Does it have this runtime’s id and signing secret?',
    )
    expect(noteAfter(...Array<CallFailure>(10).fill(FAILURES.timeout))).toBe(
      'The last calls and probes failed. The endpoint did not answer in time. Calls are paused for a moment.',
    )
  })

  test('a cancelled call says nothing about the endpoint', () => {
    const states = new EndpointStates()
    run(states, Array(20).fill('unknown'), 0)
    expect(states.healthOf(SHOP, 0)).toBe('unknown')
  })
})

describe('probes', () => {
  // holds CON-14
  test('one is due after a minute without an answer, and every 30 s while there is none', () => {
    const states = new EndpointStates()
    const claims = (...times: number[]) => times.map((now) => states.claimProbe(SHOP, now))
    expect(claims(0, 29_999, 30_000)).toEqual([true, false, true])
    states.release(acquire(states, SHOP, 40_000), null, 40_000)
    expect(claims(99_999, 100_000)).toEqual([false, true])
    states.release(acquire(states, SHOP, 100_001), FAILURES.timeout, 100_001)
    expect(claims(129_999, 130_000)).toEqual([false, true])
    expect(states.claimProbe({ ...SHOP, runtimeId: 'rt_other001' }, 130_000)).toBe(true)
  })
})

describe('what is remembered', () => {
  // holds CON-11
  test('a new endpoint begins with a clean record', () => {
    const states = new EndpointStates()
    run(states, Array(10).fill('failed'), 0)
    expect(states.acquire({ ...SHOP, endpoint: 'https://new.example/svc' }, 1)).toHaveProperty('state')
    expect(states.healthOf({ ...SHOP, endpoint: 'https://new.example/svc' }, 1)).toBe('unknown')
  })

  test('calls that alternate with those of a candidate’s endpoint have the same limits', () => {
    const states = new EndpointStates()
    const candidate = { ...SHOP, endpoint: 'https://candidate.example/svc' }
    const told: (boolean | null)[] = []
    for (let call = 0; call < 10; call += 1) {
      const permit = acquire(states, candidate, 0)
      states.release(permit, FAILURES.unreachable, 0)
      told.push(states.takeReachability(permit, 0))
      acquire(states, SHOP, 0)
    }
    expect(states.acquire(candidate, 1)).toBe(FAILURES.paused)
    expect(told.filter((isReachable) => isReachable !== null)).toEqual([false])
    for (let call = 10; call < 50; call += 1) acquire(states, SHOP, 0)
    expect(states.acquire(SHOP, 1)).toBe(FAILURES.busy)
  })

  test('states that were not used for half an hour are forgotten, used ones are not', () => {
    const states = new EndpointStates()
    for (let index = 0; index < 1000; index += 1)
      states.release(acquire(states, { ...SHOP, runtimeId: `rt_idle_${index}` }, 0), null, 0)
    run(states, ['failed'], 0)
    for (const minute of [10, 15, 20, 25, 30, 35]) states.healthOf(SHOP, minute * MINUTE)
    expect(states.size).toBe(1)
    acquire(states, { ...SHOP, runtimeId: 'rt_recent01' }, 35 * MINUTE)
    expect(states.size).toBe(2)
  })

  test('a call that takes a quarter of an hour still counts when it ends', () => {
    const states = new EndpointStates()
    const busy = acquire(states, SHOP, 0)
    acquire(states, { ...SHOP, runtimeId: 'rt_recent01' }, 10 * MINUTE)
    acquire(states, { ...SHOP, runtimeId: 'rt_recent01' }, 15 * MINUTE)
    states.release(busy, FAILURES.timeout, 15 * MINUTE)
    expect(states.healthOf(SHOP, 15 * MINUTE)).toBe('degraded')
  })

  test('the number of states is bounded, the ones used last are kept', () => {
    const states = new EndpointStates({ maxSize: 50 })
    for (let index = 0; index < 5000; index += 1) {
      states.release(acquire(states, { ...SHOP, runtimeId: `rt_many_${index}` }, index), FAILURES.timeout, index)
      expect(states.size).toBeLessThanOrEqual(100)
    }
    expect(states.healthOf({ runtimeId: 'rt_many_4999', endpoint: SHOP.endpoint }, 5000)).toBe('degraded')
    expect(states.healthOf({ runtimeId: 'rt_many_0', endpoint: SHOP.endpoint }, 5000)).toBe('unknown')
  })
})
