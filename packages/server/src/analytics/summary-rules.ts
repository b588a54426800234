import type { AnalyticsSummary } from '@svc/contract'
import { percentile, roundMs } from '../usage/histogram.ts'

export const COUNTERS = [
  'executions',
  'completed',
  'failed',
  'capabilityCalls',
  'failedCalls',
  'unknownCalls',
  'inputTokens',
  'outputTokens',
  'durationMs',
] as const

/** Sums over executions. Of a capability: over its calls, with their number in `executions`, and `failed` and `unknownCalls`. */
export interface Sums extends Record<(typeof COUNTERS)[number], number> {
  /** How many there were in each duration bucket of `usage/histogram.ts`. */
  durations: Map<number, number>
}

/** Sums of one time bucket, runtime or capability. It has a part for each row that SQL returned. */
export interface SummedPart {
  kind: 'series' | 'runtime' | 'capability'
  /** The start of the time bucket in epoch milliseconds, the id of the runtime, or the name of the capability. */
  name: string
  sums: Sums
}

type Summary = Omit<AnalyticsSummary, 'range' | 'totals'> & {
  totals: Omit<AnalyticsSummary['totals'], 'thumbsUp' | 'thumbsDown'>
}

const MAX_CAPABILITIES = 100

/** The figures of a summary. Every bucket of `times` is in the series, with zeros where nothing happened. */
export function summarize(
  parts: readonly SummedPart[],
  times: readonly number[],
  isoTime: (time: number) => string,
): Summary {
  const series = sumsByName(parts, 'series')
  const total = noSums()
  for (const sums of series.values()) addSums(total, sums)
  return {
    totals: {
      ...countsOf(total),
      totalTokens: total.inputTokens + total.outputTokens,
      avgDurationMs: total.executions === 0 ? null : roundMs(total.durationMs / total.executions),
      ...percentilesOf(total),
    },
    series: times.map((at) => toPoint(isoTime(at), series.get(String(at)) ?? noSums())),
    capabilities: largestFirst(sumsByName(parts, 'capability')).slice(0, MAX_CAPABILITIES).map(toCapability),
    runtimes: largestFirst(sumsByName(parts, 'runtime')).map(toRuntime),
  }
}

export function noSums(): Sums {
  const counts = { executions: 0, completed: 0, failed: 0, capabilityCalls: 0, failedCalls: 0, unknownCalls: 0 }
  return { ...counts, inputTokens: 0, outputTokens: 0, durationMs: 0, durations: new Map() }
}

function sumsByName(parts: readonly SummedPart[], kind: SummedPart['kind']): Map<string, Sums> {
  const totals = new Map<string, Sums>()
  for (const { name, sums } of parts.filter((part) => part.kind === kind)) {
    const total = totals.get(name) ?? noSums()
    addSums(total, sums)
    totals.set(name, total)
  }
  return totals
}

function addSums(total: Sums, sums: Sums): void {
  for (const counter of COUNTERS) total[counter] += sums[counter]
  for (const [bucket, count] of sums.durations) {
    total.durations.set(bucket, (total.durations.get(bucket) ?? 0) + count)
  }
}

function toPoint(at: string, sums: Sums): Summary['series'][number] {
  return { at, ...countsOf(sums), ...percentilesOf(sums) }
}

function toCapability([capability, sums]: [string, Sums]): Summary['capabilities'][number] {
  const { executions: calls, failed, unknownCalls: unknown } = sums
  return { capability, calls, failed, unknown, ...percentilesOf(sums) }
}

function toRuntime([runtimeId, sums]: [string, Sums]): Summary['runtimes'][number] {
  const { inputTokens, outputTokens, executions, failed, failedCalls, unknownCalls } = sums
  const counts = { executions, failed, failedCalls, unknownCalls, totalTokens: inputTokens + outputTokens }
  return { runtimeId, ...counts, ...percentilesOf(sums) }
}

function countsOf({ durationMs, durations, ...counts }: Sums) {
  return counts
}

function percentilesOf({ durations }: Sums) {
  return { p50DurationMs: percentile(durations, 50), p95DurationMs: percentile(durations, 95) }
}

// Equal ones are sorted by name, so that the order is the same every time.
function largestFirst(named: ReadonlyMap<string, Sums>): [string, Sums][] {
  return [...named].sort(([a, left], [b, right]) => right.executions - left.executions || (a < b ? -1 : 1))
}
