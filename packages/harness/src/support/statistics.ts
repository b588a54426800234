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
