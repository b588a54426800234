const SHARES = [1, 5, 10, 25, 50] as const

/** The next larger share of a candidate, in percent; null where all is left. */
export function nextShare(traffic: number): number | null {
  return SHARES.find((share) => share > traffic) ?? null
}
