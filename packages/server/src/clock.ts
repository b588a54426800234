/** The time, injected. Milliseconds since the epoch. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** ISO 8601 in UTC, for answers. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs)
}
