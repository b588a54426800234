import { setTimeout } from 'node:timers/promises'

/** The result of `work`, or `otherwise` where it takes longer than `limitMs`. The work is not stopped. */
export async function limitTime<T, U>(work: Promise<T>, limitMs: number, otherwise: U): Promise<T | U> {
  const done = new AbortController()
  try {
    return await Promise.race([work, setTimeout(limitMs, otherwise, { signal: done.signal })])
  } finally {
    done.abort()
  }
}
