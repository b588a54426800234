/** How much longer than the shortest duration of its bucket the longest may be. */
const GROWTH = 1.1

/**
 * The shortest duration of each bucket in whole milliseconds. Those below 10 ms have a bucket each, so they are exact; the
 * last bucket ends where whole numbers do.
 */
const SHORTEST = shortestDurations()

/** The bucket of a duration: 0 for 0 ms, and then one for every tenth that a duration is longer. */
export function bucketOf(durationMs: number): number {
  const ms = Math.max(0, Math.round(durationMs))
  let low = 0
  let high = SHORTEST.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((SHORTEST[middle] ?? 0) <= ms) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * What stands for every duration of a bucket: the harmonic mean of its ends, from which both are equally far in relation
 * to themselves, less than 4.8 %; rounded to hundredths of a millisecond, it is within 5 % of all of them.
 */
export function durationOf(bucket: number): number {
  const shortest = SHORTEST[bucket] ?? 0
  const longest = longestAfter(shortest)
  if (longest === shortest) return shortest
  return roundMs((2 * shortest * longest) / (shortest + longest))
}

/** The nearest-rank percentile of durations counted by bucket, within 5 % of the true one; null where there are none. */
export function percentile(counts: ReadonlyMap<number, number>, percent: number): number | null {
  const buckets = [...counts].sort(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  const rank = Math.max(1, Math.ceil((percent * total) / 100))
  let seen = 0
  for (const [bucket, count] of buckets) {
    seen += count
    if (seen >= rank) return durationOf(bucket)
  }
  return null
}

export function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100
}

function shortestDurations(): number[] {
  const shortest = [0]
  for (let next = 1; next < Number.MAX_SAFE_INTEGER; next = longestAfter(next) + 1) shortest.push(next)
  return shortest
}

function longestAfter(shortest: number): number {
  return Math.floor(shortest * GROWTH)
}
