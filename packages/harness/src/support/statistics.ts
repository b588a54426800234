/** The value below which this share (0 to 1) of the values lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [lower, upper] = [sorted[middle - 1], sorted[middle]]
  if (upper === undefined) return Number.NaN
  return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2
}

/** Three significant digits, which is as much as one run of anything knows. */
export function rounded(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '–'
}

/** The Kolmogorov–Smirnov distance: by how much the two shares of values below any one bound differ at most, 0 to 1. */
export function ksDistance(a: readonly number[], b: readonly number[]): number {
  const [left, right] = [[...a].sort((x, y) => x - y), [...b].sort((x, y) => x - y)]
  let [i, j, distance] = [0, 0, 0]
  while (i < left.length && j < right.length) {
    const at = Math.min(left[i] ?? Number.POSITIVE_INFINITY, right[j] ?? Number.POSITIVE_INFINITY)
    while (i < left.length && (left[i] ?? 0) <= at) i += 1
    while (j < right.length && (right[j] ?? 0) <= at) j += 1
    distance = Math.max(distance, Math.abs(i / left.length - j / right.length))
  }
  return distance
}
