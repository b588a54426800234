import { describe, inject } from 'vitest'
import type { Machine, NeedName } from './known-needs.ts'

/** The name of something beside Node that tests may need. */
export type Need = NeedName

declare module 'vitest' {
  export interface ProvidedContext {
    machine: Machine
    /** Name of a migrated PostgreSQL database, which the first test file that wants a copy makes and the run drops at its end. */
    postgresTemplate: string
  }
}

/**
 * A `describe` for tests that need something beside Node, each by its name in `known-needs.ts`. Where one is missing the
 * tests are skipped, and the title names it: the end of the run sums such titles up.
 */
export function needs(...names: readonly Need[]): (title: string, define: () => void) => void {
  const machine = inject('machine')
  const missing = names.filter((name) => machine[name] === undefined)
  if (missing.length === 0) return (title, define) => describe(title, define)
  return (title, define) => describe.skip(`${title} (needs ${missing.join(', ')})`, define)
}

/** Where something is: a path, or a URL. Throws where it is missing, so tests ask while they run. */
export function locate(name: Need): string {
  const place = inject('machine')[name]
  if (place === undefined) throw new Error(`${name} is missing: define tests that use it with needs('${name}')`)
  return place
}

/** Whether something is there, for tests that do without it in another way. */
export function isThere(name: Need): boolean {
  return inject('machine')[name] !== undefined
}

/** The name of the database that tests of this run copy. */
export function postgresTemplate(): string {
  return inject('postgresTemplate')
}
