const DAY_MS = 86_400_000

/** The first moment of a day, `2026-01-31`, where the reader is; as the API takes it. */
export function startOfDay(day: string): string {
  return new Date(`${day}T00:00`).toISOString()
}

/** The first moment after a day: the API leaves `to` itself out. */
export function endOfDay(day: string): string {
  const noonAfter = new Date(`${day}T12:00`).getTime() + DAY_MS
  const after = new Date(noonAfter)
  after.setHours(0, 0, 0, 0)
  return after.toISOString()
}

/** The day so many days ago, where the reader is; 0 is today. */
export function dayBefore(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() - days)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
