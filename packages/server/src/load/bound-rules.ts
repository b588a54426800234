import { WINDOW_MS } from './pace-rules.ts'

/** What happened in one stretch of time. */
export interface LoadWindow {
  elapsedMs: number
  /** Requests of the common pool held, times the milliseconds for which they were. */
  heldMs: number
  /** Requests that were handed on: admitted, answered, or given up. */
  handedOn: number
}

export interface LoadTargets {
  /** How long a request may be held on average. */
  waitMs: number
  minBound: number
  maxBound: number
}

/** Over one window's time. */
const GROWTH = 1.25

/** Whether requests waited longer than they should. A few that did are no crowd. */
export function isCrowded({ elapsedMs, heldMs, handedOn }: LoadWindow, { waitMs, minBound }: LoadTargets): boolean {
  return heldMs / elapsedMs >= minBound / 2 && heldMs / Math.max(1, handedOn) > waitMs
}

/** How many may where it was crowded: what the service hands on in the time that they may wait (Little's law). */
export function loweredBound(bound: number, { elapsedMs, handedOn }: LoadWindow, targets: LoadTargets): number {
  const { waitMs, minBound } = targets
  return Math.max(minBound, Math.min(bound, (handedOn / elapsedMs) * waitMs))
}

/** How many may where it was not: more and more, by time and not by how often somebody came. */
export function raisedBound(bound: number, { elapsedMs }: LoadWindow, { maxBound }: LoadTargets): number {
  return Math.min(maxBound, bound * GROWTH ** (elapsedMs / WINDOW_MS))
}
