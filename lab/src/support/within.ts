import { setTimeout as sleep } from 'node:timers/promises'

export class OverdueError extends Error {
  override readonly name = 'OverdueError'
}

/** How long a program may take to start or to end on a slow machine. */
export const PROGRAM_MS = 120_000

/** Resolves as `work` does; throws an {@link OverdueError} when that takes too long. */
export async function within<T>(work: Promise<T>, maxMs: number, what: string): Promise<T> {
  const over = new AbortController()
  const overdue = sleep(maxMs, undefined, { signal: over.signal }).then(
    () => {
      throw new OverdueError(`waited ${Number((maxMs / 1000).toPrecision(3))} s for ${what}`)
    },
    () => work,
  )
  try {
    return await Promise.race([work, overdue])
  } finally {
    over.abort()
  }
}

/** Looks every `everyMs` until the condition holds; false where it does not within `maxMs`. */
export async function until(holds: () => Promise<boolean> | boolean, maxMs: number, everyMs = 50): Promise<boolean> {
  for (const end = performance.now() + maxMs; !(await holds()); ) {
    if (performance.now() >= end) return false
    await sleep(everyMs)
  }
  return true
}

/** Does `work` for every item, at most `limit` at once, in the order of the list. Rejects with the first failure. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries()
  const worker = async () => {
    for (const [index, item] of entries) await work(item, index)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
}
