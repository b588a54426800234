import { describe, expect, test } from 'vitest'
import { fisherPValue, frozenReason, judgeCandidate } from '../../src/deployments/freeze-rules.ts'
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
  /** Executions of the stable deployment before; 1,000 are taken at most. Default: none. */
  earlier?: number
  /** Their chance. Default: that of the stable deployment. */
  before?: number
}

/** After how many of its executions a candidate is frozen; null where it is not. */
function freezesAfter(random: () => number, simulation: Simulation): number | null {
  const { earlier: count = 0, before = simulation.stable } = simulation
  const earlier = {
    executions: count,
    bad: Array.from({ length: count }, () => +(random() < before)).filter(Boolean).length,
  }
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
    const judged = isCandidate ? judgeCandidate({ candidate, stable, earlier }, testedAt) : null
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
    const halves = { ...equal, share: 0.5, earlier: 1_000 }
    expect(shareOfRuns(200, () => freezesAfter(random, halves) !== null)).toBeLessThan(0.01)
  })

  // holds TRAF-04
  test.each([
    [0.1, 0.01],
    [0.1, 0.05],
    [0.1, 0.2],
    [0.1, 0.4],
    [0.5, 0.01],
    [0.5, 0.05],
    [0.5, 0.2],
    [0.5, 0.4],
  ])(
    'with a share of %f that fails 20 points more often than %f is frozen within 200 of its executions',
    (share, stable) => {
      const random = seeded(2)
      // A new share counts anew; what the stable deployment did before is known.
      const earlier = share === 0.5 ? 1_000 : 0
      const worse = { share, stable, candidate: stable + 0.2, executions: 3_000, earlier }
      const isFound = () => (freezesAfter(random, worse) ?? Number.POSITIVE_INFINITY) <= 200
      expect(shareOfRuns(300, isFound)).toBeGreaterThan(0.95)
    },
  )

  test('is rarely frozen for what ails the stable deployment as well', () => {
    const random = seeded(4)
    const outage = { share: 0.5, before: 0.05, stable: 0.3, candidate: 0.3, executions: 4_000, earlier: 1_000 }
    expect(shareOfRuns(300, () => freezesAfter(random, outage) !== null)).toBeLessThan(0.05)
  })

  test('is not judged before 30 executions, nor twice on the same ones', () => {
    const beside = { stable: { executions: 300, bad: 0 }, earlier: { executions: 0, bad: 0 } }
    const judged = (executions: number, testedAt: number) =>
      judgeCandidate({ candidate: { executions, bad: executions }, ...beside }, testedAt)
    expect(judged(29, 0)).toBeNull()
    expect(judged(30, 0)?.isWorse).toBe(true)
    expect(judged(59, 30)).toBeNull()
  })

  test('without anything beside it is never worse, whatever there was before', () => {
    const samples = {
      candidate: { executions: 200, bad: 200 },
      stable: { executions: 0, bad: 0 },
      earlier: { executions: 1_000, bad: 0 },
    }
    expect(judgeCandidate(samples, 0)).toMatchObject({ isWorse: false, p: 1, compared: { executions: 0 } })
  })

  test('is told with what it was compared with', () => {
    const candidate = { executions: 60, bad: 21 }
    const samples = { candidate, stable: { executions: 60, bad: 2 }, earlier: { executions: 1_000, bad: 30 } }
    const judged = judgeCandidate(samples, 30)
    expect(judged && frozenReason(candidate, judged)).toBe(
      '21 of 60 (35.0 %) executions were bad, against 6 of 180 (3.3 %) of the stable deployment, 120 of them before the candidate (p < 0.0001).',
    )
  })
})

describe('Fisher’s exact test', () => {
  // By R: fisher.test(matrix(c(bad, good, bad, good), 2), alternative = "greater").
  test.each([
    [{ executions: 4, bad: 3 }, { executions: 4, bad: 1 }, 0.242857],
    [{ executions: 10, bad: 8 }, { executions: 10, bad: 1 }, 0.0027],
    [{ executions: 30, bad: 5 }, { executions: 270, bad: 5 }, 0.00105],
  ])('gives what is known of %j against %j', (candidate, stable, p) => {
    expect(fisherPValue(candidate, stable)).toBeCloseTo(p, 3)
  })

  test('holds for millions of executions', () => {
    const p = fisherPValue({ executions: 1_000_000, bad: 50_300 }, { executions: 9_000_000, bad: 450_000 })
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
