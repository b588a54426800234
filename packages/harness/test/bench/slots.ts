import type { Measured, Slot } from '../../src/bench/load/rounds.ts'

/** A slot of one second in which 100 calls were answered, but for what is given. */
export function slot(given: Partial<Slot>): Slot {
  const calls = { requests: 100, seconds: 1, refused: 0, broken: 0, p50Ms: 1, p99Ms: 2 }
  return { ...calls, processMs: 10, mainThreadMs: 10, databaseMs: 0, ...given }
}

export function measuredOf(slots: Readonly<Record<string, readonly Slot[]>>): Measured {
  return new Map(Object.entries(slots))
}
