import type { AnalyticsBucket, FieldErrors } from '@svc/contract'
import { GRAIN_MS, startOf } from '../usage/rollup-rules.ts'

const DAY_MS = GRAIN_MS.day
const DEFAULT_DAYS = 7
/** The longest range with hourly buckets. One with daily buckets has no such limit: its rows are few. */
const MAX_HOURLY_DAYS = 100

/** Complete UTC hours or days, from the start of the first to the end of the last; empty where both are equal. */
export interface Range {
  from: number
  to: number
  bucket: AnalyticsBucket
  /** Whether the plan moved the start forward. */
  clamped: boolean
}

/** Times are epoch milliseconds. */
export interface RangeRequest {
  from?: number | undefined
  to?: number | undefined
  bucket?: AnalyticsBucket | undefined
  now: number
  /** How many days the plan shows, today included. */
  analyticsDays: number
}

/**
 * The requested range, by default the last seven days in days: widened to complete buckets, then cut to what the plan shows
 * and to the current bucket.
 */
export function resolveRange(request: RangeRequest): { range: Range } | { faults: FieldErrors } {
  const { now, bucket = 'day', to = now + 1, analyticsDays } = request
  if (request.from !== undefined && request.from >= to) return { faults: { from: [startsTooLate(request)] } }
  const latest = endOf(bucket, now + 1)
  const earliest = latest - analyticsDays * DAY_MS
  const requestedEnd = Math.min(endOf(bucket, to), latest)
  const start = request.from === undefined ? requestedEnd - DEFAULT_DAYS * DAY_MS : startOf(bucket, request.from)
  const end = Math.max(requestedEnd, earliest)
  const shown = bucket === 'hour' ? Math.max(earliest, end - MAX_HOURLY_DAYS * DAY_MS) : earliest
  return { range: { from: Math.min(Math.max(start, shown), end), to: end, bucket, clamped: start < shown } }
}

export function bucketStarts({ from, to, bucket }: Range): number[] {
  return Array.from({ length: (to - from) / GRAIN_MS[bucket] }, (_, index) => from + index * GRAIN_MS[bucket])
}

/** An interval that is read from the counters of one grain. */
export interface Interval {
  grain: AnalyticsBucket
  from: number
  to: number
}

/** The fewest counters that cover a range: its complete days, and the hours before and after them. */
export function intervalsOf({ from, to }: Pick<Range, 'from' | 'to'>): Interval[] {
  const firstDay = Math.min(endOf('day', from), to)
  const lastDay = Math.max(startOf('day', to), firstDay)
  const intervals: Interval[] = [
    { grain: 'hour', from, to: firstDay },
    { grain: 'day', from: firstDay, to: lastDay },
    { grain: 'hour', from: lastDay, to },
  ]
  return intervals.filter((interval) => interval.from < interval.to)
}

function startsTooLate({ to }: RangeRequest): string {
  return to === undefined
    ? 'must be before now, or before a “to” that you send along.'
    : 'must be before “to”, which is not part of the range itself.'
}

// A time at which a bucket starts is the end of the one before.
function endOf(grain: AnalyticsBucket, time: number): number {
  return startOf(grain, time - 1) + GRAIN_MS[grain]
}
