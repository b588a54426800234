import { median, rounded } from '../../support/statistics.ts'
import type { Measured, Slot } from './rounds.ts'

/** A figure of one slot. */
export type Figure = (slot: Slot) => number

export const callsPerSecond: Figure = ({ requests, seconds }) => requests / seconds
export const cpuMicroseconds: Figure = ({ processMs, requests }) => (processMs * 1000) / requests
export const mainThreadMicroseconds: Figure = ({ mainThreadMs, requests }) => (mainThreadMs * 1000) / requests
export const databaseMicroseconds: Figure = ({ databaseMs, requests }) => (databaseMs * 1000) / requests
export const p50Ms: Figure = (slot) => slot.p50Ms
export const p99Ms: Figure = (slot) => slot.p99Ms

/** A figure of several rounds. */
export interface Spread {
  median: number
  min: number
  max: number
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

export function figureOf(measured: Measured, name: string, figure: Figure): Spread {
  return spreadOf(slotsOf(measured, name).map(figure))
}

/** Round by round: what one did over what the other did in the same round. Throws where a name was not measured. */
export function ratioOf(measured: Measured, [name, base]: readonly [string, string], figure: Figure): Spread {
  const bases = slotsOf(measured, base)
  return spreadOf(
    slotsOf(measured, name).map((slot, round) => {
      const other = bases[round]
      return other === undefined ? Number.NaN : figure(slot) / figure(other)
    }),
  )
}

export function slotsOf(measured: Measured, name: string): readonly Slot[] {
  const slots = measured.get(name)
  if (slots === undefined || slots.length === 0) throw new Error(`${name} was not measured`)
  return slots
}

/** `0.93 [0.90–0.98]`. */
export function showSpread(spread: Spread): string {
  return `${rounded(spread.median)} [${rounded(spread.min)}–${rounded(spread.max)}]`
}
