import type { AnalyticsSummary } from '@svc/contract'
import { percentile, roundMs } from '../usage/histogram.ts'

/** Sums over executions, or over calls where only `executions`, `failed` and `durations` mean something. */
export interface Sums {
  executions: number
  completed: number
  failed: number
  capabilityCalls: number
  failedCalls: number
  inputTokens: number
  outputTokens: number
  durationMs: number
  /** How many there were in each bucket of durations. */
  durations: Map<number, number>
}

/** What was counted: over time by the start of each bucket, and by runtime and by capability over the whole range. */
export interface Counted {
  series: ReadonlyMap<number, Sums>
  runtimes: ReadonlyMap<string, Sums>
  capabilities: ReadonlyMap<string, Sums>
}

type Summary = Omit<AnalyticsSummary, 'range'>

const MAX_CAPABILITIES = 100

/** The figures of a summary. Every bucket of `times` is in the series, zeros where nothing happened. */
export function summarize(counted: Counted, times: readonly number[], isoTime: (time: number) => string): Summary {
  return {
    totals: totalsOf([...counted.series.values()]),
    series: times.map((at) => toPoint(isoTime(at), counted.series.get(at) ?? noSums())),
    capabilities: largestFirst(counted.capabilities).slice(0, MAX_CAPABILITIES).map(toCapability),
    runtimes: largestFirst(counted.runtimes).map(toRuntime),
  }
}

export function noSums(): Sums {
  return {
    executions: 0,
    completed: 0,
    failed: 0,
    capabilityCalls: 0,
    failedCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    durationMs: 0,
    durations: new Map(),
  }
}

/** Adds `sums` to `total`, which is changed. */
export function addSums(total: Sums, sums: Sums): void {
  total.executions += sums.executions
  total.completed += sums.completed
  total.failed += sums.failed
  total.capabilityCalls += sums.capabilityCalls
  total.failedCalls += sums.failedCalls
  total.inputTokens += sums.inputTokens
  total.outputTokens += sums.outputTokens
  total.durationMs += sums.durationMs
  for (const [bucket, count] of sums.durations) {
    total.durations.set(bucket, (total.durations.get(bucket) ?? 0) + count)
  }
}

function totalsOf(points: readonly Sums[]): Summary['totals'] {
  const total = noSums()
  for (const point of points) addSums(total, point)
  return {
    ...tallyOf(total),
    totalTokens: total.inputTokens + total.outputTokens,
    avgDurationMs: total.executions === 0 ? null : roundMs(total.durationMs / total.executions),
    ...percentilesOf(total),
  }
}

function toPoint(at: string, sums: Sums): Summary['series'][number] {
  return { at, ...tallyOf(sums), ...percentilesOf(sums) }
}

function toCapability([capability, sums]: [string, Sums]): Summary['capabilities'][number] {
  const { executions: calls, failed } = sums
  return { capability, calls, failed, ...percentilesOf(sums) }
}

function toRuntime([runtimeId, sums]: [string, Sums]): Summary['runtimes'][number] {
  const { executions, failed, failedCalls, inputTokens, outputTokens } = sums
  return { runtimeId, executions, failed, failedCalls, totalTokens: inputTokens + outputTokens, ...percentilesOf(sums) }
}

function percentilesOf({ durations }: Sums) {
  return { p50DurationMs: percentile(durations, 50), p95DurationMs: percentile(durations, 95) }
}

function tallyOf({ executions, completed, failed, capabilityCalls, failedCalls, inputTokens, outputTokens }: Sums) {
  return { executions, completed, failed, capabilityCalls, failedCalls, inputTokens, outputTokens }
}

// Names settle ties, so that the same figures are listed the same way twice.
function largestFirst(named: ReadonlyMap<string, Sums>): [string, Sums][] {
  return [...named].sort(([a, left], [b, right]) => right.executions - left.executions || (a < b ? -1 : 1))
}
