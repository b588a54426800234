import { describe, inject } from 'vitest'
import type { Machine, NeedName } from './known-needs.ts'

/** The name of something beside Node that tests may need. */
export type Need = NeedName

declare module 'vitest' {
  export interface ProvidedContext {
    machine: Machine
    /** With it begin the names of databases, and of folders for temporary files, that a run removes at its end. */
    runName: string
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

/** What the names of databases and temporary folders begin with that outlive a test file: the run removes them at its end. */
export function runName(): string {
  return inject('runName')
}
