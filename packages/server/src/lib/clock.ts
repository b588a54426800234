/** An injected clock, in milliseconds since the epoch. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds since an arbitrary start, for durations: it is never set back. */
export const monotonicClock: Clock = { now: () => Math.floor(performance.now()) }

/** ISO 8601 in UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs)
}
