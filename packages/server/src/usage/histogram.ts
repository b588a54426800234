/** The ratio of the longest duration of a bucket to its shortest: an exponential histogram. */
const GROWTH = 1.1

/** The shortest duration of each bucket, in whole milliseconds. Below 10 ms each has a bucket of its own. */
const SHORTEST = shortestDurations()

export function durationBucket(durationMs: number): number {
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

/** A value within 5 % of every duration of a bucket: the harmonic mean of its ends, to a hundredth of a millisecond. */
export function typicalDurationMs(bucket: number): number {
  const shortest = SHORTEST[bucket] ?? 0
  const longest = longestAfter(shortest)
  if (longest === shortest) return shortest
  return roundMs((2 * shortest * longest) / (shortest + longest))
}

/** The nearest-rank percentile of durations counted by bucket, within 5 %; null where there are none. */
export function percentile(counts: ReadonlyMap<number, number>, percent: number): number | null {
  const buckets = [...counts].sort(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  const rank = Math.max(1, Math.ceil((percent * total) / 100))
  let seen = 0
  for (const [bucket, count] of buckets) {
    seen += count
    if (seen >= rank) return typicalDurationMs(bucket)
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
