import { startOf } from '../usage/rollup-rules.ts'

/** How often executions of what was deleted are stopped, wherever they run. */
export const STOP_MS = 1_000

/** How often what is left of deleted runtimes and accounts is deleted. */
export const SWEEP_MS = 60_000

/** Ids that an account keeps from being given again. Past them, its oldest go. */
export const MAX_RETIRED = 1_000

/** Deleted runtimes of an account of which rows may be left. Each costs every sweep some statements. */
export const MAX_LEFT = 100

/** By then, everything that was admitted at the last moment is stored. */
const SETTLED_MS = 10 * 60_000

/** Whether nothing can be added any more to what was deleted. */
export function isSettled(deletedAt: number, now: number): boolean {
  return now - deletedAt >= SETTLED_MS
}

/** Whether the account's usage of the present hour no longer counts what was deleted. */
export function isUncounted(deletedAt: number, now: number): boolean {
  return startOf('hour', now) > startOf('hour', deletedAt + SETTLED_MS)
}

/** The address of a deleted account, whose own one may sign up again. `newId` is one that nobody can have signed up with. */
export function goneAddress(newId: string): string {
  return `${newId.toLowerCase()}@deleted.invalid`
}
