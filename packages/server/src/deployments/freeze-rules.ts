/** Executions of one deployment since the share of the candidate was set, and how many of them were bad. */
export interface Sample {
  executions: number
  bad: number
}

/**
 * When a candidate is tested, in its executions, and at which level. Each look takes a part of 1 % of its own, so that all of
 * them together are wrong about a candidate that is as good as the stable deployment in under 1 % of the cases.
 */
const LOOKS = [
  { at: 30, level: 0.0005 },
  { at: 60, level: 0.0005 },
  { at: 120, level: 0.002 },
  { at: 200, level: 0.004 },
] as const
/** Of the first look after those, at 400 executions. Each later one comes at twice as many, at half the level. */
const LATER_LEVEL = 0.001

/** The level that all looks up to a number of executions have together. */
function levelUpTo(executions: number): number {
  let level = 0
  for (const look of LOOKS) if (look.at <= executions) level += look.level
  for (let at = 400, own = LATER_LEVEL; at <= executions; at *= 2, own /= 2) level += own
  return level
}

/** For each execution of the stable deployment beside the candidate, at most so many from before it are taken. */
const EARLIER_FOR_EACH = 2
/** The chance from which on a difference counts that keeps what was before from being used alone. */
const DOUBT = 0.05

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
 * The stable deployment’s executions beside a candidate, with some of those before. None where it has become worse or better
 * itself: what ails both, such as a failing model, must not count against the candidate alone, nor an outage of yesterday for it.
 */
function comparedWith({ stable, earlier }: Samples): Compared {
  const most = Math.min(earlier.executions, EARLIER_FOR_EACH * stable.executions)
  const isSame = most > 0 && chanceOfSoMany(stable, earlier) >= DOUBT && chanceOfSoMany(earlier, stable) >= DOUBT
  if (!isSame) return { executions: stable.executions, bad: stable.bad, earlier: 0 }
  const bad = Math.ceil((earlier.bad * most) / earlier.executions)
  return { executions: stable.executions + most, bad: stable.bad + bad, earlier: most }
}

/**
 * Whether a candidate is worse than the stable deployment beyond chance, by Fisher’s exact test, one-sided: probably also than
 * what ran beside it alone. `testedAt` is the number of its executions at the last test: without a look since, null. Looks that
 * were passed lend the test their levels.
 */
export function judgeCandidate(
  samples: Samples,
  testedAt: number,
): { isWorse: boolean; p: number; compared: Compared } | null {
  const { candidate, stable } = samples
  const level = levelUpTo(candidate.executions) - levelUpTo(testedAt)
  if (level <= 0) return null
  const compared = comparedWith(samples)
  const p = chanceOfSoMany(candidate, compared)
  return { isWorse: p < level && chanceOfSoMany(candidate, stable) < DOUBT, p, compared }
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

/** The chance that so many of the bad executions fall to the candidate, or more, where both are equally good. */
export function chanceOfSoMany(candidate: Sample, stable: Sample): number {
  const [drawn, all] = [candidate.executions, candidate.executions + stable.executions]
  const bad = candidate.bad + stable.bad
  // At or below its share. The sum below begins on the falling side.
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
