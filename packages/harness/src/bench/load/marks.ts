import { atLeast, atMost, type Check, exactly } from '../../support/scenario.ts'
import { type Spread, showSpread, slotsOf } from './figures.ts'
import type { Measured } from './rounds.ts'

/** The median of the rounds must be at least this. */
export function medianAtLeast(what: string, spread: Spread, limit: number): Check {
  return { ...atLeast(what, spread.median, limit), measured: showSpread(spread) }
}

export function medianAtMost(what: string, spread: Spread, limit: number): Check {
  return { ...atMost(what, spread.median, limit), measured: showSpread(spread) }
}

/** How far a thing may differ from itself before the machine is too restless to say anything. */
export function sameAsItself(what: string, spread: Spread): Check {
  const [low, high] = [0.8, 1.25]
  const passed = spread.median >= low && spread.median <= high
  return { what, measured: showSpread(spread), passMark: `${low} to ${high}`, passed }
}

/** None of these may have been refused or broken off: figures of failures are fast and worth nothing. */
export function noneFailed(what: string, measured: Measured, names: readonly string[]): Check {
  const slots = names.flatMap((name) => slotsOf(measured, name))
  const failed = slots.reduce((sum, { refused, broken }) => sum + refused + broken, 0)
  const sent = slots.reduce((sum, { requests }) => sum + requests, 0)
  return { ...exactly(what, failed, 0), measured: `${failed} of ${sent}` }
}
