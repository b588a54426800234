import { describe, expect, test } from 'vitest'
import { Circuit } from '../../../server/src/dispatch/circuit.ts'
import { pausesFor, type SeenCall } from '../../src/fault/paused-calls.ts'

import { createRandom } from '../../src/support/random.ts'

const START = 1_000_000

/** Calls one second after another, from `from` on; `-` was reset, `+` was not. */
function calls(outcomes: string, from = START): SeenCall[] {
  return Array.from(outcomes, (outcome, index) => {
    const at = from + index * 1000
    return { at, endedAt: at + 100, wasReset: outcome === '-' }
  })
}

describe('a server has to pause its calls', () => {
  test('for 15 s and no longer than a lag, once half of ten were reset', () => {
    const opened = START + 9_100
    expect(pausesFor(calls('+++++-----'))).toEqual([{ from: opened, to: opened + 15_500 }])
    expect(pausesFor(calls('-----+++++'))).toEqual([{ from: opened, to: opened + 15_500 }])
  })

  test('for as long as one more call at a time is reset, and twice as long each time', () => {
    const probe = START + 9_100 + 15_000
    expect(pausesFor([...calls('----------'), ...calls('-', probe)])).toEqual([
      { from: START + 9_100, to: probe + 500 },
      { from: probe - 500, to: probe + 100 + 30_500 },
    ])
    expect(pausesFor([...calls('----------'), ...calls('+', probe + 5_000)])).toEqual([
      { from: START + 9_100, to: probe + 500 },
      { from: probe + 4_500, to: probe + 5_600 },
    ])
  })

  test('whichever of two ends at nearly the same time it saw first', () => {
    const early = calls('++++++----')
    const late = { at: START + 9_000, endedAt: START + 9_300, wasReset: true }
    expect(pausesFor([...early, late])).toEqual([])
    const worked = early.map((call, index) => (index === 5 ? { ...call, endedAt: START + 9_350 } : call))
    expect(pausesFor([...worked, late])).toHaveLength(1)
  })
})

describe('a server has no reason to pause', () => {
  test('for fewer calls, for fewer resets, or for resets too long ago', () => {
    expect(pausesFor(calls('---------'))).toEqual([])
    expect(pausesFor(calls('++++++----'))).toEqual([])
    expect(pausesFor([...calls('----'), ...calls('+++++-', START + 31_000)])).toEqual([])
    expect(pausesFor([])).toEqual([])
  })

  test('where its calls went on to arrive', () => {
    expect(pausesFor([...calls('+++++-----'), ...calls('++++++', START + 10_000)])).toEqual([])
  })

  test('for what was before the call that showed the endpoint well again', () => {
    const probe = START + 9_100 + 15_000
    expect(pausesFor([...calls('----------'), ...calls('++++++----', probe)])).toHaveLength(2)
  })
})

test('every call that the server’s own circuit turns away is in a pause', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = createRandom(seed)
    const circuit = new Circuit()
    const seen: SeenCall[] = []
    const turnedAway: number[] = []
    const share = random.pick([0.1, 0.3, 0.5, 0.9])
    for (let now = START; now < START + 120_000; now += random.int(1, random.pick([50, 500, 4_000]))) {
      const pass = circuit.enter(now)
      if (!pass) {
        turnedAway.push(now)
        continue
      }
      const wasReset = random.chance(share)
      const call = { at: now, endedAt: now + random.int(0, 30), wasReset }
      seen.push(call)
      now = call.endedAt
      circuit.end(pass, wasReset ? 'failed' : 'worked', now + random.int(0, 5))
    }
    const pauses = pausesFor(seen)
    const isPaused = (at: number) => pauses.some(({ from, to }) => at >= from && at <= to)
    expect(
      turnedAway.filter((at) => !isPaused(at)),
      `seed ${seed}`,
    ).toEqual([])
  }
})
