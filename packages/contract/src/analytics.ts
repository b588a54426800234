import * as z from 'zod'
import { UnknownCalls } from './effects.ts'
import { Timestamp } from './json.ts'

/** The length of the time buckets of a summary: UTC hours or UTC days. */
export const AnalyticsBucket = z.enum(['hour', 'day'])
export type AnalyticsBucket = z.infer<typeof AnalyticsBucket>

const Count = z.int().nonnegative()
/** Null where no execution ended. Percentiles come from a histogram and are within 5 % of the exact ones. */
const DurationMs = z.number().nonnegative().nullable()
const Percentiles = { p50DurationMs: DurationMs, p95DurationMs: DurationMs }

const Tally = z.object({
  executions: Count,
  completed: Count,
  failed: Count,
  capabilityCalls: Count,
  failedCalls: Count,
  unknownCalls: UnknownCalls,
  inputTokens: Count,
  outputTokens: Count,
})

/** Answer of `GET /v1/analytics/summary`. Every bucket of the range is present, the empty ones with zeros. */
export const AnalyticsSummary = z.object({
  range: z.object({ from: Timestamp, to: Timestamp, bucket: AnalyticsBucket, clamped: z.boolean() }),
  totals: Tally.extend({
    totalTokens: Count,
    avgDurationMs: DurationMs,
    ...Percentiles,
    thumbsUp: Count.default(0).describe('Executions that their end user rated 1.'),
    thumbsDown: Count.default(0).describe('Executions that their end user rated -1.'),
  }),
  series: z.array(Tally.extend({ at: Timestamp, ...Percentiles })),
  capabilities: z.array(
    z.object({ capability: z.string(), calls: Count, failed: Count, unknown: Count, ...Percentiles }),
  ),
  runtimes: z.array(
    z.object({
      runtimeId: z.string(),
      executions: Count,
      failed: Count,
      failedCalls: Count,
      unknownCalls: UnknownCalls,
      totalTokens: Count,
      ...Percentiles,
    }),
  ),
})
export type AnalyticsSummary = z.infer<typeof AnalyticsSummary>
