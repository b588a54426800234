import { describe, expect, test } from 'vitest'
import { type CallFailure, FAILURES, statusFailure } from '../../src/dispatch/failures.ts'
import { Lanes, type Pass } from '../../src/dispatch/lanes.ts'

const SHOP = { runtimeId: 'rt_shop0001', endpoint: 'https://shop.example/svc' }
const MINUTE = 60_000

function enter(lanes: Lanes, target: typeof SHOP, now: number): Pass {
  const pass = lanes.enter(target, now)
  if (!('lane' in pass)) throw new Error(pass.message)
  return pass
}

const ENDS = { worked: null, failed: FAILURES.unreachable, unknown: FAILURES.cancelled } as const

function run(lanes: Lanes, ends: readonly (keyof typeof ENDS | CallFailure)[], now: number): void {
  for (const end of ends) lanes.leave(enter(lanes, SHOP, now), typeof end === 'string' ? ENDS[end] : end, now)
}

describe('calls under way', () => {
  test('fifty at once, and the next one as soon as one of them is done', () => {
    const lanes = new Lanes()
    const passes = Array.from({ length: 50 }, () => enter(lanes, SHOP, 0))
    expect(lanes.enter(SHOP, 0)).toBe(FAILURES.busy)
    for (const pass of passes.slice(0, 1)) lanes.leave(pass, null, 1)
    expect(lanes.enter(SHOP, 1)).toHaveProperty('lane')
    expect(lanes.enter(SHOP, 1)).toBe(FAILURES.busy)
  })

  test('a full lane does not hold up another runtime', () => {
    const lanes = new Lanes()
    for (let call = 0; call < 50; call += 1) enter(lanes, SHOP, 0)
    expect(lanes.enter({ ...SHOP, runtimeId: 'rt_other001' }, 0)).toHaveProperty('lane')
  })
})

describe('health', () => {
  // holds CON-11
  test('the health of a runtime that was never called is unknown', () => {
    expect(new Lanes().healthOf({ runtimeId: 'rt_unknown1', endpoint: SHOP.endpoint }, 0)).toBe('unknown')
  })

  // holds CON-07, CON-08
  test('one failed call makes it degraded at once, the third in a row unreachable, and an answer ends that', () => {
    const lanes = new Lanes()
    run(lanes, Array(17).fill('worked'), 0)
    const healths = (['failed', 'failed', 'failed', 'worked', 'worked'] as const).map((transport) => {
      run(lanes, [transport], 0)
      return lanes.healthOf(SHOP, 0)
    })
    expect(healths).toEqual(['degraded', 'degraded', 'unreachable', 'healthy', 'healthy'])
  })

  // holds CON-07
  test('a fifth of the last twenty calls makes it degraded, less does not', () => {
    const lanes = new Lanes()
    run(lanes, [...Array(3).fill('failed'), ...Array(17).fill('worked')], 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('healthy')
    run(lanes, [...Array(4).fill('failed'), ...Array(16).fill('worked')], 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('degraded')
    run(lanes, Array(17).fill('worked'), 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('healthy')
  })

  // holds CON-07
  test('failures older than fifteen minutes do not count any more', () => {
    const lanes = new Lanes()
    run(lanes, ['failed', 'failed', 'failed'], 0)
    expect(lanes.healthOf(SHOP, 15 * MINUTE - 1)).toBe('unreachable')
    expect(lanes.healthOf(SHOP, 15 * MINUTE)).toBe('unknown')
  })

  // holds CON-08
  test('an open circuit makes it unreachable until a probe works', () => {
    const lanes = new Lanes()
    run(lanes, Array(10).fill('failed'), 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('unreachable')
    expect(lanes.enter(SHOP, 1)).toBe(FAILURES.paused)
    const probe = enter(lanes, SHOP, 15_000)
    expect(lanes.healthOf(SHOP, 15_000)).toBe('unreachable')
    lanes.leave(probe, null, 15_001)
    expect(lanes.healthOf(SHOP, 15_001)).toBe('degraded')
  })

  test('what the owner can mend is said in words, and of a capability’s own words nothing', () => {
    const noteAfter = (...ends: (keyof typeof ENDS | CallFailure)[]) => {
      const lanes = new Lanes()
      run(lanes, ends, 0)
      return lanes.healthNote(SHOP, 0)
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
    const lanes = new Lanes()
    run(lanes, Array(20).fill('unknown'), 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('unknown')
  })
})

describe('probes', () => {
  // holds CON-14
  test('one is due after a minute without an answer, and every 30 s while there is none', () => {
    const lanes = new Lanes()
    const claims = (...times: number[]) => times.map((now) => lanes.claimProbe(SHOP, now))
    expect(claims(0, 29_999, 30_000)).toEqual([true, false, true])
    lanes.leave(enter(lanes, SHOP, 40_000), null, 40_000)
    expect(claims(99_999, 100_000)).toEqual([false, true])
    lanes.leave(enter(lanes, SHOP, 100_001), FAILURES.timeout, 100_001)
    expect(claims(129_999, 130_000)).toEqual([false, true])
    expect(lanes.claimProbe({ ...SHOP, runtimeId: 'rt_other001' }, 130_000)).toBe(true)
  })
})

describe('what is remembered', () => {
  // holds CON-11
  test('a new endpoint begins with a clean record', () => {
    const lanes = new Lanes()
    run(lanes, Array(10).fill('failed'), 0)
    expect(lanes.enter({ ...SHOP, endpoint: 'https://new.example/svc' }, 1)).toHaveProperty('lane')
    expect(lanes.healthOf(SHOP, 1)).toBe('unknown')
  })

  test('lanes that nobody used for a quarter of an hour are dropped, used ones are not', () => {
    const lanes = new Lanes()
    for (let index = 0; index < 1000; index += 1)
      lanes.leave(enter(lanes, { ...SHOP, runtimeId: `rt_idle_${index}` }, 0), null, 0)
    const busy = enter(lanes, { ...SHOP, runtimeId: 'rt_busy0001' }, 0)
    expect(lanes.size).toBe(1001)
    enter(lanes, { ...SHOP, runtimeId: 'rt_recent01' }, 10 * MINUTE)
    enter(lanes, SHOP, 15 * MINUTE)
    expect(lanes.size).toBe(3)
    lanes.leave(busy, FAILURES.timeout, 15 * MINUTE)
    expect(lanes.healthOf({ runtimeId: 'rt_busy0001', endpoint: SHOP.endpoint }, 15 * MINUTE)).toBe('degraded')
  })

  test('their number is bounded, the ones used last are kept', () => {
    const lanes = new Lanes({ maxLanes: 100 })
    for (let index = 0; index < 5000; index += 1) {
      lanes.leave(enter(lanes, { ...SHOP, runtimeId: `rt_many_${index}` }, index), FAILURES.timeout, index)
      expect(lanes.size).toBeLessThanOrEqual(100)
    }
    expect(lanes.healthOf({ runtimeId: 'rt_many_4999', endpoint: SHOP.endpoint }, 5000)).toBe('degraded')
    expect(lanes.healthOf({ runtimeId: 'rt_many_0', endpoint: SHOP.endpoint }, 5000)).toBe('unknown')
  })
})
