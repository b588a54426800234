/** The time, injected. Milliseconds since the epoch. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** For how long something takes: nobody sets it, and what it counts from is of no account. */
export const monotonicClock: Clock = { now: () => Math.floor(performance.now()) }

/** ISO 8601 in UTC, for answers. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs)
}
