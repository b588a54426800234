import type { Schemas } from '../../api/client.ts'
import type { RangeName } from '../search.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const RANGE_LABELS: Readonly<Record<RangeName, string>> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '400d': 'Last 400 days',
}

const DAYS: Readonly<Record<RangeName, number>> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '400d': 400 }

/** What to ask for; the same all through an hour, so that what is remembered can be used. */
export function requestFor(range: RangeName, now: number): { from: string; bucket: Schemas['AnalyticsBucket'] } {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  // Of a number of days the present one is the last.
  const from = range === '24h' ? hour - 23 * HOUR_MS : hour - (DAYS[range] - 1) * DAY_MS
  return { from: new Date(from).toISOString(), bucket: range === '24h' ? 'hour' : 'day' }
}

/** The same length of time right before a request. */
export function requestBefore<Request extends { from: string; bucket: Schemas['AnalyticsBucket'] }>(
  request: Request,
  to = Date.parse(request.from) + DAY_MS,
): Request & { to: string } {
  const from = Date.parse(request.from)
  return { ...request, from: new Date(2 * from - to).toISOString(), to: request.from }
}

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A bucket’s name under a chart. Buckets are UTC hours and days. */
export function bucketLabel(at: string, bucket: Schemas['AnalyticsBucket']): string {
  return (bucket === 'hour' ? HOUR : DAY).format(new Date(at))
}

/** `1 Mar 2026, 00:00 – 8 Mar 2026, 00:00 UTC`. */
export function rangeWords({ from, to }: { from: string; to: string }): string {
  return `${MOMENT.format(new Date(from))} – ${MOMENT.format(new Date(to))} UTC`
}
