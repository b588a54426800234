/** The value below which this share (0 to 1) of the values lies, between two of them by their distance; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  return below + (place % 1) * ((sorted[Math.ceil(place)] ?? below) - below)
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Three significant digits, which is as much as one run of anything knows. */
export function rounded(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '–'
}

/** The items by their key, in their order. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** How many items have each key. */
export function countBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, number> {
  return new Map([...groupBy(items, keyOf)].map(([key, group]) => [key, group.length]))
}

/** The Kolmogorov–Smirnov distance: by how much the shares of values below any bound differ at most, 0 to 1. */
export function ksDistance(a: readonly number[], b: readonly number[]): number {
  const below = (values: readonly number[], bound: number) =>
    values.filter((value) => value <= bound).length / values.length
  return Math.max(0, ...[...a, ...b].map((bound) => Math.abs(below(a, bound) - below(b, bound))))
}
