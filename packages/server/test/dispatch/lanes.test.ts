import { describe, expect, test } from 'vitest'
import { FAILURES, type Transport } from '../../src/dispatch/failures.ts'
import { Lanes, type Pass } from '../../src/dispatch/lanes.ts'

const SHOP = { runtimeId: 'rt_shop0001', endpoint: 'https://shop.example/svc' }
const MINUTE = 60_000

function enter(lanes: Lanes, target: typeof SHOP, now: number): Pass {
  const pass = lanes.enter(target, now)
  if (!('lane' in pass)) throw new Error(pass.message)
  return pass
}

function run(lanes: Lanes, transports: readonly Transport[], now: number): void {
  for (const transport of transports) enter(lanes, SHOP, now).leave(transport, now)
}

describe('calls under way', () => {
  test('fifty at once, and the next one as soon as one of them is done', () => {
    const lanes = new Lanes()
    const passes = Array.from({ length: 50 }, () => enter(lanes, SHOP, 0))
    expect(lanes.enter(SHOP, 0)).toBe(FAILURES.busy)
    passes[0]?.leave('worked', 1)
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
  test('a runtime that was never called is healthy', () => {
    expect(new Lanes().healthOf({ runtimeId: 'rt_unknown1', endpoint: SHOP.endpoint }, 0)).toBe('healthy')
  })

  test('a fifth of the last twenty calls makes it degraded, less does not', () => {
    const lanes = new Lanes()
    run(lanes, [...Array(3).fill('failed'), ...Array(17).fill('worked')], 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('healthy')
    run(lanes, [...Array(16).fill('worked'), ...Array(4).fill('failed')], 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('degraded')
    run(lanes, Array(17).fill('worked'), 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('healthy')
  })

  test('failures older than fifteen minutes do not count any more', () => {
    const lanes = new Lanes()
    run(lanes, ['failed', 'failed'], 0)
    expect(lanes.healthOf(SHOP, 15 * MINUTE - 1)).toBe('degraded')
    expect(lanes.healthOf(SHOP, 15 * MINUTE)).toBe('healthy')
  })

  test('an open circuit makes it unreachable until a probe works', () => {
    const lanes = new Lanes()
    run(lanes, Array(10).fill('failed'), 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('unreachable')
    expect(lanes.enter(SHOP, 1)).toBe(FAILURES.paused)
    const probe = enter(lanes, SHOP, 15_000)
    expect(lanes.healthOf(SHOP, 15_000)).toBe('unreachable')
    probe.leave('worked', 15_001)
    expect(lanes.healthOf(SHOP, 15_001)).toBe('degraded')
  })

  test('a cancelled call says nothing about the endpoint', () => {
    const lanes = new Lanes()
    run(lanes, Array(20).fill('unknown'), 0)
    expect(lanes.healthOf(SHOP, 0)).toBe('healthy')
  })
})

describe('what is remembered', () => {
  test('a new endpoint begins with a clean record', () => {
    const lanes = new Lanes()
    run(lanes, Array(10).fill('failed'), 0)
    expect(lanes.enter({ ...SHOP, endpoint: 'https://new.example/svc' }, 1)).toHaveProperty('lane')
    expect(lanes.healthOf(SHOP, 1)).toBe('healthy')
  })

  test('lanes that nobody used for a quarter of an hour are dropped, used ones are not', () => {
    const lanes = new Lanes()
    for (let index = 0; index < 1000; index += 1)
      enter(lanes, { ...SHOP, runtimeId: `rt_idle_${index}` }, 0).leave('worked', 0)
    const busy = enter(lanes, { ...SHOP, runtimeId: 'rt_busy0001' }, 0)
    expect(lanes.size).toBe(1001)
    enter(lanes, { ...SHOP, runtimeId: 'rt_recent01' }, 10 * MINUTE)
    enter(lanes, SHOP, 15 * MINUTE)
    expect(lanes.size).toBe(3)
    busy.leave('failed', 15 * MINUTE)
    expect(lanes.healthOf({ runtimeId: 'rt_busy0001', endpoint: SHOP.endpoint }, 15 * MINUTE)).toBe('degraded')
  })

  test('their number is bounded, the ones used last are kept', () => {
    const lanes = new Lanes({ maxLanes: 100 })
    for (let index = 0; index < 5000; index += 1) {
      enter(lanes, { ...SHOP, runtimeId: `rt_many_${index}` }, index).leave('failed', index)
      expect(lanes.size).toBeLessThanOrEqual(100)
    }
    expect(lanes.healthOf({ runtimeId: 'rt_many_4999', endpoint: SHOP.endpoint }, 5000)).toBe('degraded')
    expect(lanes.healthOf({ runtimeId: 'rt_many_0', endpoint: SHOP.endpoint }, 5000)).toBe('healthy')
  })
})
