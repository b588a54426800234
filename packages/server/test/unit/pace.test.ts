import { describe, expect, test } from 'vitest'
import { createPace, nextRate } from '../../src/load/pace.ts'
import { createTestClock } from '../support/clock.ts'

const NO_LIMIT = Number.POSITIVE_INFINITY

describe('how many come in each millisecond', () => {
  const after = (rate: number, window: { letIn?: number; turnMs?: number; isCrowded?: boolean; elapsedMs?: number }) =>
    nextRate(rate, { elapsedMs: 100, letIn: 0, turnMs: 0, isCrowded: true, ...window })

  test('are fewer than came in, by as much as turns are too long, and by a fifth at most', () => {
    expect(after(NO_LIMIT, { letIn: 500, turnMs: 8.8 })).toBeCloseTo(5 / 1.1)
    expect(after(NO_LIMIT, { letIn: 500, turnMs: 500 })).toBeCloseTo(4)
    expect(after(2, { letIn: 500, turnMs: 500 })).toBeCloseTo(1.6)
  })

  test('are never none', () => {
    expect(after(NO_LIMIT, { letIn: 0, turnMs: 500 })).toBe(0.05)
  })

  test('are a tenth more each tenth of a second while turns are short, until there is no limit', () => {
    expect(after(2, { turnMs: 8 })).toBeCloseTo(2.2)
    expect(after(2, { turnMs: 8, elapsedMs: 200 })).toBeCloseTo(2.42)
    expect(after(95, { turnMs: 8 })).toBe(NO_LIMIT)
    expect(after(NO_LIMIT, { turnMs: 8 })).toBe(NO_LIMIT)
  })

  test('are not fewer where nobody is there to make turns long', () => {
    expect(after(NO_LIMIT, { letIn: 3, turnMs: 500, isCrowded: false })).toBe(NO_LIMIT)
    expect(after(0.05, { turnMs: 500, isCrowded: false, elapsedMs: 60_000 })).toBe(NO_LIMIT)
  })
})

/** Requests at a service whose turns take a millisecond, and half of one for each that came in with them. */
function service({ inHand = 1_000 } = {}) {
  const clock = createTestClock()
  const ends: (() => void)[] = []
  const turnEnd = () => new Promise<void>((resolve) => ends.push(resolve))
  const pace = createPace({ clock, turnEnd, inHand: () => inHand, crowd: 100 })
  let carriedMs = 0
  let letIn = 0
  const turn = async (arrivals: number) => {
    let tookMs = 1 + carriedMs
    for (let arrival = 0; arrival < arrivals; arrival += 1) {
      pace.note()
      if (!pace.allows(1)) continue
      pace.take()
      letIn += 1
      tookMs += 0.5
    }
    carriedMs = tookMs - Math.floor(tookMs)
    clock.advance(Math.floor(tookMs))
    expect(ends.length).toBe(1)
    ends.shift()?.()
    await Promise.resolve()
    return Math.floor(tookMs)
  }
  /** Some arrivals a millisecond for so long; how long turns were on average, and what came in. */
  const run = async (perMs: number, forMs: number) => {
    const before = letIn
    let [elapsedMs, turns, tookMs] = [0, 0, 1]
    while (elapsedMs < forMs) {
      tookMs = await turn(Math.max(1, Math.round(tookMs * perMs)))
      elapsedMs += tookMs
      turns += 1
    }
    return { meanTurnMs: elapsedMs / turns, letInPerMs: (letIn - before) / elapsedMs }
  }
  return { pace, run }
}

describe('a pace', () => {
  test('brings turns down to what they may take, lets in most of what can be done, and all when it is over', async () => {
    const { pace, run } = service()
    await run(20, 3_000)
    const { meanTurnMs, letInPerMs } = await run(20, 10_000)
    expect(meanTurnMs).toBeLessThan(10)
    // Two a millisecond would be all that there is time for.
    expect(letInPerMs).toBeGreaterThan(1.4)
    await run(1, 10_000)
    expect(pace.allows(0)).toBe(true)
  })

  test('does nothing to a few', async () => {
    const { run } = service({ inHand: 99 })
    const { letInPerMs } = await run(1.5, 3_000)
    expect(letInPerMs).toBeGreaterThan(1.4)
  })
})
