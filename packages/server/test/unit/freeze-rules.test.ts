import { describe, expect, test } from 'vitest'
import { chanceOfSoMany, judgeCandidate } from '../../src/deployments/freeze-rules.ts'
import { isForCandidate, splitPoint } from '../../src/deployments/split-rules.ts'
import { createKeyring } from '../../src/secrets/keyring.ts'

const KEYRING = createKeyring([Buffer.alloc(32, 1)])

/** Numbers from 0 up to 1, the same at each run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const again = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((again ^ (again >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Simulation {
  share: number
  /** The chance that an execution is bad, of the stable deployment and of the candidate. */
  stable: number
  candidate: number
  executions: number
}

/** After how many of its executions a candidate is frozen; null where it is not. */
function freezesAfter(random: () => number, simulation: Simulation): number | null {
  const [stable, candidate] = [
    { executions: 0, bad: 0 },
    { executions: 0, bad: 0 },
  ]
  let testedAt = 0
  for (let served = 0; served < simulation.executions; served += 1) {
    const isCandidate = random() < simulation.share
    const side = isCandidate ? candidate : stable
    side.executions += 1
    side.bad += +(random() < (isCandidate ? simulation.candidate : simulation.stable))
    const judged = isCandidate ? judgeCandidate(candidate, stable, testedAt) : null
    if (judged) testedAt = candidate.executions
    if (judged?.isWorse) return candidate.executions
  }
  return null
}

function shareOfRuns(runs: number, holds: () => boolean): number {
  return Array.from({ length: runs }, holds).filter(Boolean).length / runs
}

describe('a candidate', () => {
  // holds TRAF-04
  test('as good as the stable deployment is frozen in under 1 % of runs of 100,000 executions', {
    timeout: 60_000,
  }, () => {
    const random = seeded(1)
    const equal = { share: 0.1, stable: 0.05, candidate: 0.05, executions: 100_000 }
    expect(shareOfRuns(200, () => freezesAfter(random, equal) !== null)).toBeLessThan(0.01)
  })

  // holds TRAF-04
  test.each([0.01, 0.05, 0.2, 0.4])(
    'that fails 20 points more often than %f is frozen within 200 of its executions',
    (stable) => {
      const random = seeded(2)
      const worse = { share: 0.1, stable, candidate: stable + 0.2, executions: 3_000 }
      const isFound = () => (freezesAfter(random, worse) ?? Number.POSITIVE_INFINITY) <= 200
      expect(shareOfRuns(300, isFound)).toBeGreaterThan(0.95)
    },
  )

  test('is not judged before 30 executions, nor twice on the same ones', () => {
    const stable = { executions: 300, bad: 0 }
    expect(judgeCandidate({ executions: 29, bad: 29 }, stable, 0)).toBeNull()
    expect(judgeCandidate({ executions: 30, bad: 30 }, stable, 0)?.isWorse).toBe(true)
    expect(judgeCandidate({ executions: 59, bad: 59 }, stable, 30)).toBeNull()
  })

  test('without anything beside it is never worse', () => {
    expect(judgeCandidate({ executions: 200, bad: 200 }, { executions: 0, bad: 0 }, 0)).toEqual({
      isWorse: false,
      p: 1,
    })
  })
})

describe('Fisher’s exact test', () => {
  // By R: fisher.test(matrix(c(bad, good, bad, good), 2), alternative = "greater").
  test.each([
    [{ executions: 4, bad: 3 }, { executions: 4, bad: 1 }, 0.242857],
    [{ executions: 10, bad: 8 }, { executions: 10, bad: 1 }, 0.0027],
    [{ executions: 30, bad: 5 }, { executions: 270, bad: 5 }, 0.00105],
  ])('gives what is known of %j against %j', (candidate, stable, p) => {
    expect(chanceOfSoMany(candidate, stable)).toBeCloseTo(p, 3)
  })

  test('holds for millions of executions', () => {
    const p = chanceOfSoMany({ executions: 1_000_000, bad: 50_300 }, { executions: 9_000_000, bad: 450_000 })
    // By the normal approximation.
    expect(p).toBeCloseTo(0.096, 2)
  })
})

describe('the split', () => {
  // holds TRAF-02
  test.each([5, 50])(
    'of %i percent is exact in the long run, by end user, by conversation and by chance',
    (traffic) => {
      const random = seeded(3)
      const count = 50_000
      const subjects = [
        (index: number) => ({ kind: 'end-user', id: `user-${index}` }) as const,
        (index: number) => ({ kind: 'conversation', id: `talk-${index}` }) as const,
        () => null,
      ]
      for (const subject of subjects) {
        const isTaken = (_: unknown, index: number) =>
          isForCandidate(splitPoint({ keyring: KEYRING, random }, 'rt_shop', subject(index)), traffic)
        const share = Array.from({ length: count }, isTaken).filter(Boolean).length / count
        // Four standard deviations.
        const margin = 4 * Math.sqrt(((traffic / 100) * (1 - traffic / 100)) / count)
        expect(Math.abs(share - traffic / 100)).toBeLessThan(margin)
      }
    },
  )

  test('cannot be computed without the master key', () => {
    const pointUnder = (keyring: typeof KEYRING) =>
      splitPoint({ keyring, random: () => 0 }, 'rt_shop', { kind: 'conversation', id: 'talk-1' })
    expect(pointUnder(createKeyring([Buffer.alloc(32, 2)]))).not.toBe(pointUnder(KEYRING))
  })

  test('keeps whom a smaller share had, and takes nobody at 0 and everybody at 100', () => {
    for (let index = 0; index < 1_000; index += 1) {
      const point = splitPoint({ keyring: KEYRING, random: () => 0 }, 'rt_shop', {
        kind: 'end-user',
        id: String(index),
      })
      if (isForCandidate(point, 5)) expect(isForCandidate(point, 6)).toBe(true)
      expect([isForCandidate(point, 0), isForCandidate(point, 100)]).toEqual([false, true])
    }
  })
})
