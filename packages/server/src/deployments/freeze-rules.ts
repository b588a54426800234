/** Executions of one deployment since the share of the candidate was set, and how many of them were bad. */
export interface Sample {
  executions: number
  bad: number
}

/**
 * A group-sequential test: after how many executions of the candidate it is made, and at which significance level. The levels
 * add up to less than 1 %: so rarely is a candidate frozen that is as good as the stable deployment.
 */
const LOOKS = [
  { at: 30, level: 0.0005 },
  { at: 60, level: 0.0005 },
  { at: 120, level: 0.002 },
  { at: 200, level: 0.004 },
] as const
/** Of the look at 400 executions. Each later one comes at twice as many, with half the level. */
const LATER_LEVEL = 0.001

/** The sum of the levels of all looks up to a number of executions. */
function cumulativeLevel(executions: number): number {
  let level = 0
  for (const look of LOOKS) if (look.at <= executions) level += look.level
  for (let at = 400, own = LATER_LEVEL; at <= executions; at *= 2, own /= 2) level += own
  return level
}

/** How many executions from before the candidate are compared, at most, for each one of the stable deployment beside it. */
const EARLIER_PER_EXECUTION = 2
/** For two further questions: has the stable deployment changed, and does what ran beside the candidate show it to be worse. */
const SIGNIFICANCE_LEVEL = 0.05

/** The sample that a candidate is compared with; `earlier` of its executions ran before the candidate. */
export interface Compared extends Sample {
  earlier: number
}

/** Everything known of a candidate: itself, and the stable deployment beside it and before. */
export interface Samples {
  candidate: Sample
  stable: Sample
  earlier: Sample
}

/**
 * The stable deployment’s executions beside a candidate, and some of those before. None of those where it has become worse or
 * better itself: a model that fails for both must not count against the candidate alone, nor an outage of yesterday for it.
 */
function comparedWith({ stable, earlier }: Samples): Compared {
  const most = Math.min(earlier.executions, EARLIER_PER_EXECUTION * stable.executions)
  const isSame =
    most > 0 &&
    fisherPValue(stable, earlier) >= SIGNIFICANCE_LEVEL &&
    fisherPValue(earlier, stable) >= SIGNIFICANCE_LEVEL
  if (!isSame) return { executions: stable.executions, bad: stable.bad, earlier: 0 }
  const bad = Math.ceil((earlier.bad * most) / earlier.executions)
  return { executions: stable.executions + most, bad: stable.bad + bad, earlier: most }
}

/**
 * Whether a candidate is worse than the stable deployment beyond chance, by Fisher’s exact test, one-sided. What ran beside it
 * alone must show it, too. `testedAt` is the number of its executions at the last test; null where no look is due since. One
 * test stands for all looks since then, at the sum of their levels.
 */
export function judgeCandidate(
  samples: Samples,
  testedAt: number,
): { isWorse: boolean; p: number; compared: Compared } | null {
  const { candidate, stable } = samples
  const level = cumulativeLevel(candidate.executions) - cumulativeLevel(testedAt)
  if (level <= 0) return null
  const compared = comparedWith(samples)
  const p = fisherPValue(candidate, compared)
  return { isWorse: p < level && fisherPValue(candidate, stable) < SIGNIFICANCE_LEVEL, p, compared }
}

/** Why a candidate was frozen, for its owner. */
export function frozenReason(candidate: Sample, { compared, p }: { compared: Compared; p: number }): string {
  const chance = p < 0.0001 ? 'p < 0.0001' : `p = ${p.toFixed(4)}`
  const before = compared.earlier > 0 ? `, ${compared.earlier} of them before the candidate` : ''
  return `${shareOf(candidate)} executions were bad, against ${shareOf(compared)} of the stable deployment${before} (${chance}).`
}

function shareOf({ executions, bad }: Sample): string {
  return `${bad} of ${executions} (${((100 * bad) / executions).toFixed(1)} %)`
}

/** The chance that so many of the bad executions, or more, are the candidate’s, if both are equally good. */
export function fisherPValue(candidate: Sample, stable: Sample): number {
  const [drawn, all] = [candidate.executions, candidate.executions + stable.executions]
  const bad = candidate.bad + stable.bad
  // The candidate has at most its share. Above it the terms of the sum only fall, so that it can end early.
  if (candidate.bad * all <= bad * drawn) return 1
  let term = Math.exp(lnChoose(bad, candidate.bad) + lnChoose(all - bad, drawn - candidate.bad) - lnChoose(all, drawn))
  let sum = term
  for (let found = candidate.bad; found < Math.min(bad, drawn) && term > sum * 1e-12; found += 1) {
    term *= ((bad - found) * (drawn - found)) / ((found + 1) * (all - bad - drawn + found + 1))
    sum += term
  }
  return Math.min(1, sum)
}

function lnChoose(of: number, chosen: number): number {
  return lnFactorial(of) - lnFactorial(chosen) - lnFactorial(of - chosen)
}

/** By Stirling’s series, exact to twelve digits from sixteen on. */
function lnFactorial(n: number): number {
  if (n >= 16) return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3)
  let product = 1
  for (let factor = 2; factor <= n; factor += 1) product *= factor
  return Math.log(product)
}
