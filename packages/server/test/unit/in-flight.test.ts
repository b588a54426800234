import { describe, expect, test } from 'vitest'
import { HeldBytes, InFlight } from '../../src/admission/in-flight.ts'

function begin(inFlight: InFlight, accountId: string): boolean {
  if (inFlight.executionShortage(accountId)) return false
  inFlight.add(accountId, { executions: 1 })
  return true
}

function beginAll(inFlight: InFlight, accountId: string): number {
  let begun = 0
  while (begin(inFlight, accountId)) begun += 1
  return begun
}

describe('executions in flight', () => {
  test('are half of the bound for one greedy account, and another begins at once', () => {
    const inFlight = new InFlight({ executions: 2_000, heldBytes: 1 })
    expect(beginAll(inFlight, 'greedy')).toBe(1_000)
    expect(inFlight.executionShortage('greedy')).toEqual({ of: 'executions', scope: 'account' })
    expect(begin(inFlight, 'other')).toBe(true)
  })

  test('of three that take all they can leave room for fifty calls of a fourth', () => {
    const inFlight = new InFlight({ executions: 2_000, heldBytes: 1 })
    for (const greedy of ['a', 'b', 'c']) beginAll(inFlight, greedy)
    expect(Array.from({ length: 50 }, () => begin(inFlight, 'fourth'))).not.toContain(false)
  })

  test('leave a quarter free where three take turns', () => {
    const inFlight = new InFlight({ executions: 2_000, heldBytes: 1 })
    for (let turn = 0; turn < 3_000; turn += 1) begin(inFlight, ['a', 'b', 'c'][turn % 3] ?? '')
    expect(inFlight.executions).toBe(1_500)
  })

  test('are the service’s shortage where an account holds none, and nothing is kept of an account that has ended', () => {
    const inFlight = new InFlight({ executions: 1, heldBytes: 1 })
    expect(begin(inFlight, 'a')).toBe(true)
    expect(inFlight.executionShortage('b')).toEqual({ of: 'executions', scope: 'service' })
    inFlight.add('a', { executions: -1 })
    expect([inFlight.executions, inFlight.accounts]).toEqual([0, 0])
  })
})

describe('bytes in flight', () => {
  test('may take their weight in place of what they reserved, where reservations fill the share of the account', () => {
    const inFlight = new InFlight({ executions: 1, heldBytes: 1_000 })
    const requests = Array.from({ length: 2 }, () => new HeldBytes(inFlight, 'a'))
    expect(requests.map((held) => held.grow(250))).toEqual([null, null])
    expect(new HeldBytes(inFlight, 'a').grow(1)).toEqual({ of: 'bytes', scope: 'account' })
    expect(requests.map((held) => held.resize(300))).toEqual([null, null])
    expect(requests[0]?.resize(701)).toEqual({ of: 'bytes', scope: 'account' })
    expect(inFlight.bytes).toBe(600)
    expect(requests[0]?.resize(100)).toBeNull()
    expect(inFlight.bytes).toBe(400)
  })

  test('grow while the account holds less than what is free, and never past the bound', () => {
    const inFlight = new InFlight({ executions: 1, heldBytes: 1_000 })
    const held = new HeldBytes(inFlight, 'a')
    expect(held.grow(1_001)).toEqual({ of: 'bytes', scope: 'service' })
    expect(held.grow(400)).toBeNull()
    expect(held.grow(200)).toBeNull()
    expect(held.grow(1)).toEqual({ of: 'bytes', scope: 'account' })
    expect(new HeldBytes(inFlight, 'b').grow(400)).toBeNull()
    expect(inFlight.bytes).toBe(1_000)
  })

  test('that are there already are counted whatever there is, and say that it is too much', () => {
    const inFlight = new InFlight({ executions: 1, heldBytes: 1_000 })
    const held = new HeldBytes(inFlight, 'a')
    expect([held.take(400), held.take(2_000)]).toEqual([true, false])
    expect(inFlight.bytes).toBe(2_400)
  })

  test('are given back once each of their holders has released them', () => {
    const inFlight = new InFlight({ executions: 1, heldBytes: 1_000 })
    const held = new HeldBytes(inFlight, 'a')
    held.take(300)
    held.retain().take(100)
    held.release()
    expect(inFlight.bytes).toBe(400)
    held.release()
    expect([inFlight.bytes, inFlight.accounts]).toEqual([0, 0])
  })

  test('are given back once, and what comes later is not counted', () => {
    const inFlight = new InFlight({ executions: 1, heldBytes: 1_000 })
    const held = new HeldBytes(inFlight, 'a')
    held.take(400)
    held.release()
    held.release()
    held.take(100)
    expect([inFlight.bytes, inFlight.accounts]).toEqual([0, 0])
  })
})
