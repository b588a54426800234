import type { AnalyticsBucket, FieldErrors } from '@svc/contract'
import { GRAIN_MS, startOf } from '../usage/rollup-rules.ts'

const DAY_MS = GRAIN_MS.day
const DEFAULT_DAYS = 7
/** As much of it as one answer may hold. A day of a long range is as cheap as one of a short range; an hour is not. */
const MAX_HOURLY_DAYS = 100

/** Whole UTC hours or days, from the start of the first to the end of the last. Nothing is in it where both are equal. */
export interface Range {
  from: number
  to: number
  bucket: AnalyticsBucket
  /** Whether the plan moved the start forward. */
  clamped: boolean
}

export interface RangeRequest {
  /** Epoch milliseconds, as are the others. */
  from?: number | undefined
  to?: number | undefined
  bucket?: AnalyticsBucket | undefined
  now: number
  /** How many days the plan lets its owner look back, the present one included. */
  analyticsDays: number
}

/**
 * The range that a request asks for, by default the last seven days in days: widened to whole buckets, then cut to what
 * the plan shows and to the bucket that is under way.
 */
export function resolveRange(request: RangeRequest): { range: Range } | { faults: FieldErrors } {
  const { now, bucket = 'day', to = now + 1 } = request
  if (request.from !== undefined && request.from >= to) return { faults: { from: [startsTooLate(request)] } }
  const latest = endOf(bucket, now + 1)
  const earliest = latest - request.analyticsDays * DAY_MS
  const asked = Math.min(endOf(bucket, to), latest)
  const start = request.from === undefined ? asked - DEFAULT_DAYS * DAY_MS : startOf(bucket, request.from)
  const end = Math.max(asked, earliest)
  const shown = bucket === 'hour' ? Math.max(earliest, end - MAX_HOURLY_DAYS * DAY_MS) : earliest
  const from = between(shown, start, end)
  return { range: { from, to: end, bucket, clamped: start < shown } }
}

/** The start of every bucket of a range. */
export function bucketsOf({ from, to, bucket }: Range): number[] {
  return Array.from({ length: (to - from) / GRAIN_MS[bucket] }, (_, index) => from + index * GRAIN_MS[bucket])
}

/** A stretch of time that is read from the counters of one grain. */
export interface Stretch {
  grain: AnalyticsBucket
  from: number
  to: number
}

/** The fewest counters that cover a range: the days that are whole in it, and the hours before and after them. */
export function stretchesOf({ from, to }: Range): Stretch[] {
  const firstDay = Math.min(endOf('day', from), to)
  const lastDay = Math.max(startOf('day', to), firstDay)
  const stretches: Stretch[] = [
    { grain: 'hour', from, to: firstDay },
    { grain: 'day', from: firstDay, to: lastDay },
    { grain: 'hour', from: lastDay, to },
  ]
  return stretches.filter((stretch) => stretch.from < stretch.to)
}

function startsTooLate({ to }: RangeRequest): string {
  return to === undefined
    ? 'must be before now, or before a “to” that you send along.'
    : 'must be before “to”, which is not part of the range itself.'
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}

// A time that starts a bucket ends the one before.
function endOf(grain: AnalyticsBucket, time: number): number {
  return startOf(grain, time - 1) + GRAIN_MS[grain]
}
