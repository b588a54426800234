import { vi } from 'vitest'

/** Resolves once the check throws nothing any more; after ten seconds, which no machine needs, rejects with its error. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 10_000 })
}
