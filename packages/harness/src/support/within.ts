import { setTimeout as sleep } from 'node:timers/promises'

/** What was waited for did not come in its time. */
export class OverdueError extends Error {
  override readonly name = 'OverdueError'
}

/** How long a program may take to start, or to end where nothing else is promised: slow machines included. */
export const PROGRAM_MS = 120_000

/** Resolves as `work` does; throws an {@link OverdueError} that names what was waited for when that takes too long. */
export async function within<T>(work: Promise<T>, maxMs: number, what: string): Promise<T> {
  const over = new AbortController()
  const overdue = sleep(maxMs, undefined, { signal: over.signal }).then(
    () => {
      throw new OverdueError(`waited ${Number((maxMs / 1000).toPrecision(3))} s for ${what}`)
    },
    // Called off: the work has an end by now, and its end is what the race is about.
    () => work,
  )
  try {
    return await Promise.race([work, overdue])
  } finally {
    over.abort()
  }
}
