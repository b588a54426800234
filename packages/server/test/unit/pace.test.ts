import { describe, expect, test } from 'vitest'
import type { Crowd } from '../../src/load/crowd.ts'
import { createPace } from '../../src/load/pace.ts'
import { isTooMuch, lowered, NO_LIMIT, type PaceWindow, raised } from '../../src/load/pace-rules.ts'
import { createTestClock } from '../support/clock.ts'

function window(seen: Partial<PaceWindow>): PaceWindow {
  const usual = { elapsedMs: 100, letIn: 200, donePerMs: 2, wasShort: true, turnMs: 1, busyMs: 100, crowding: 1 }
  return { ...usual, ...seen }
}

describe('it is too much', () => {
  test.each([
    ['where turns are long', {}, true],
    ['not where they are short', { turnMs: 4 }, false],
    ['not where one was, and the rest of the time nothing was to be done', { busyMs: 75 }, false],
    ['not where nobody is there to make them long', { crowding: 0.99 }, false],
  ])('%s', (_, seen, expected) => {
    expect(isTooMuch(window({ turnMs: 5, ...seen }))).toBe(expected)
  })
})

describe('how many come in each millisecond', () => {
  test('are a little fewer than get done where it was too much, and by as much as turns are too long', () => {
    expect(lowered(3, window({ turnMs: 4.1 }))).toBeCloseTo(1.9)
    expect(lowered(3, window({ turnMs: 5 }))).toBeCloseTo(1.6)
    expect(lowered(3, window({ turnMs: 500 }))).toBeCloseTo(1.4)
    expect(lowered(1, window({ turnMs: 500 }))).toBeCloseTo(1)
  })

  test('are hardly fewer for one long stretch in which nothing could come', () => {
    expect(lowered(2, window({ elapsedMs: 3_000, letIn: 30, turnMs: 3_000 }))).toBeCloseTo(1.4)
  })

  test('are half of those that came where next to nothing has got done yet, and never none', () => {
    expect(lowered(NO_LIMIT, window({ letIn: 400, donePerMs: 0.01 }))).toBeCloseTo(2)
    expect(lowered(NO_LIMIT, window({ letIn: 0, donePerMs: 0 }))).toBe(0.05)
  })

  test('are as many as get done and a few more where it is nearly too much', () => {
    expect(raised(3, window({ turnMs: 3 }))).toBeCloseTo(2.06)
    expect(raised(2, window({ turnMs: 3 }))).toBeCloseTo(2.06)
    expect(raised(1, window({ turnMs: 3 }))).toBeCloseTo(1.03)
  })

  test('are slowly more while there is nothing to do but what is let in, and never far more than gets done', () => {
    expect(raised(2, window({}))).toBeCloseTo(2.06)
    expect(raised(2.39, window({}))).toBeCloseTo(2.4)
    expect(raised(9, window({}))).toBe(9)
  })

  test('are more where there is time left, half of what got done lately at least, until there is no limit', () => {
    expect(raised(2, window({ busyMs: 50 }))).toBeCloseTo(2.12)
    expect(raised(2, window({ busyMs: 100, elapsedMs: 200 }))).toBeCloseTo(2.247)
    expect(raised(0.1, window({ busyMs: 50 }))).toBe(1)
    expect(raised(95, window({ wasShort: false }))).toBe(NO_LIMIT)
  })

  test('know no limit where most of the time nothing was to be done', () => {
    expect(raised(0.05, window({ busyMs: 49 }))).toBe(NO_LIMIT)
    expect(raised(0.05, window({ busyMs: 50, donePerMs: 0.02 }))).toBeCloseTo(0.053)
  })
})

interface ServiceOptions {
  inHand?: () => number
  /** Each waits for his answer before he asks again. */
  callers?: number
  refusalMs?: number
  /** What each turn takes besides. */
  turnMs?: number
  /** Of the time that passes, what this process has of a processor. */
  workShare?: number
}

const PARTS = 5

function crowdOf(size: () => number): Crowd {
  return {
    pass() {},
    join: () => () => {},
    get size() {
      return size()
    },
  }
}

/** A service whose event loop takes a millisecond for two requests, and some time for each that it refuses. */
function service(options: ServiceOptions = {}) {
  const { inHand = () => 1_000, callers = 1e6, refusalMs = 0.01, turnMs = 0.2, workShare = 1 } = options
  const clock = createTestClock()
  const ends: (() => void)[] = []
  const turnEnd = () => new Promise<void>((resolve) => ends.push(resolve))
  let idleMs = 0
  const pace = createPace({
    clock,
    turnEnd,
    processorMs: () => clock.now() * workShare,
    activeMs: () => clock.now() - idleMs,
    crowd: crowdOf(inHand),
    crowdSize: 100,
  })
  let carriedMs = 0
  let waiting: (() => void)[] = []
  let stalledMs = 0
  let seenAt = clock.now()
  // What came in one turn is done in the next one, between what comes then.
  const turn = async (arrivals: number) => {
    let [workMs, tookMs] = [carriedMs, 0]
    const spend = (ms: number) => {
      workMs += ms
      const wholeMs = Math.floor(workMs) - tookMs
      tookMs += wholeMs
      clock.advance(wholeMs)
    }
    const done = waiting
    waiting = []
    const arrive = () => {
      pace.pass(clock.now() - seenAt)
      seenAt = clock.now()
      if (!pace.allows(1)) return spend(refusalMs)
      waiting.push(pace.take())
    }
    const stallMs = arrivals > 0 ? stalledMs : 0
    stalledMs -= stallMs
    for (let part = 0; part < PARTS; part += 1) {
      for (let arrival = part; arrival < arrivals; arrival += PARTS) arrive()
      spend((turnMs + stallMs + done.length * 0.5) / PARTS)
    }
    for (const finish of done) finish()
    carriedMs = workMs - tookMs
    for (const end of ends.splice(0)) end()
    await Promise.resolve()
    return { tookMs, letIn: waiting.length }
  }
  /** So many arrivals a millisecond for so long; how long turns were, how many came in, and how many did not. */
  const run = async (perMs: number, forMs: number) => {
    let [elapsedMs, letIn, refused, squares, due] = [0, 0, 0, 0, 0]
    while (elapsedMs < forMs) {
      const arrivals = Math.min(callers, Math.floor(due))
      const seen = await turn(arrivals)
      due += Math.max(1, seen.tookMs) * perMs - arrivals
      if (seen.tookMs === 0) {
        clock.advance(1)
        idleMs += 1
      }
      elapsedMs += Math.max(1, seen.tookMs)
      letIn += seen.letIn
      refused += arrivals - seen.letIn
      squares += seen.tookMs ** 2
    }
    return { turnMs: squares / elapsedMs, letInPerMs: letIn / elapsedMs, refused }
  }
  /** Something that takes so long, once, in a turn in which something comes. */
  const stall = (ms: number) => {
    stalledMs = ms
  }
  return { pace, run, stall }
}

describe('a pace', () => {
  test('brings turns down to what they may take, and lets in most of what can be done', async () => {
    const { run } = service()
    await run(20, 3_000)
    const { turnMs, letInPerMs } = await run(20, 10_000)
    expect(turnMs).toBeLessThan(6)
    // Two a millisecond, less what it takes to refuse eighteen.
    expect(letInPerMs).toBeGreaterThan(1.4)
  })

  test.each([100, 150, 200, 500, 1_000])('sees turns of %i ms', async (turnMs) => {
    const { pace, run } = service({ turnMs })
    await run(1, 20 * turnMs)
    expect(pace.allows(0)).toBe(false)
  })

  test('comes back to what can be done, after a time in which less could', async () => {
    const { run, stall } = service()
    for (let count = 0; count < 20; count += 1) {
      stall(150)
      await run(20, 200)
    }
    await run(20, 8_000)
    expect((await run(20, 5_000)).letInPerMs).toBeGreaterThan(1.4)
  })

  test('keeps to what can be done after a long stall', async () => {
    const { run, stall } = service()
    await run(20, 3_000)
    stall(3_000)
    await run(20, 3_000)
    expect((await run(20, 1_000)).letInPerMs).toBeGreaterThan(0.8)
  })

  test('lets a few in, whatever there is to do', async () => {
    const state = { inHand: 1_000 }
    const { pace, run } = service({ inHand: () => state.inHand })
    await run(20, 3_000)
    state.inHand = 25
    expect([pace.allows(0.6), pace.allows(0.5)]).toEqual([true, false])
  })

  test('lets all in again when it is over', async () => {
    const { pace, run } = service()
    await run(20, 3_000)
    expect(pace.allows(0)).toBe(false)
    await run(0.5, 10_000)
    expect(pace.allows(0)).toBe(true)
  })

  test('lets many in at once as soon as there has been time left', async () => {
    const { run } = service()
    await run(20, 3_000)
    await run(0, 150)
    expect((await run(20, 10)).refused).toBe(0)
  })

  test('does not begin anew with a flood that has stopped for a moment', async () => {
    const { run } = service()
    await run(20, 3_000)
    await run(0, 150)
    const { letInPerMs } = await run(20, 1_000)
    expect(letInPerMs).toBeLessThan(2)
  })

  test('does nothing to a few, however long turns are', async () => {
    const { run } = service({ inHand: () => 99, callers: 99 })
    expect((await run(4, 3_000)).refused).toBe(0)
  })

  test('sees a crowd that is answered at once by how many of it come in one turn', async () => {
    const { run } = service({ inHand: () => 0 })
    await run(20, 3_000)
    const { turnMs, letInPerMs } = await run(20, 10_000)
    // A hundred in a turn are a crowd: they take half of a millisecond each, and those that are refused as long together.
    expect(turnMs).toBeLessThan(100)
    expect(letInPerMs).toBeGreaterThan(1)
  })

  test('does nothing where it is other processes that make turns long', async () => {
    const { run } = service({ workShare: 0.01, turnMs: 20 })
    expect((await run(1.9, 3_000)).refused).toBe(0)
  })

  test('refuses nobody for one stall', async () => {
    const { run, stall } = service()
    await run(0.2, 1_000)
    stall(500)
    expect((await run(0.2, 2_000)).refused).toBe(0)
  })
})
