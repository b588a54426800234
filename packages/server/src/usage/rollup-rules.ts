import { bucketOf } from './histogram.ts'

/** How finely usage is counted: by UTC hour and, over again, by UTC day, so that a long look back reads few rows. */
export type Grain = 'hour' | 'day'

export const GRAIN_MS: Readonly<Record<Grain, number>> = { hour: 3_600_000, day: 86_400_000 }

const GRAINS = ['hour', 'day'] as const

/** Consecutive buckets of durations that one row counts: most of what one hour or day holds is in two or three rows. */
export const SPAN_BUCKETS = 16

/** What one execution that has ended adds to the counters. */
export interface Usage {
  ownerId: string
  runtimeId: string
  projectId: string
  startedAt: number
  isCompleted: boolean
  isAnonymous: boolean
  inputTokens: number
  outputTokens: number
  durationMs: number
  calls: readonly CallUsage[]
}

export interface CallUsage {
  capability: string
  isCompleted: boolean
  /** Null where the answer never came. */
  durationMs: number | null
}

/** Where something is counted. `span`: which buckets of durations, counted in sixteens. */
interface Place {
  ownerId: string
  grain: Grain
  /** Start of the hour or day in which the execution started. */
  at: number
  runtimeId: string
  projectId: string
  span: number
}

export interface ExecutionRollup extends Place {
  executions: number
  completed: number
  failed: number
  anonymous: number
  capabilityCalls: number
  inputTokens: number
  outputTokens: number
  durationMs: number
  /** Executions by duration: `buckets[i]` counts bucket `span × 16 + i`. */
  buckets: number[]
}

export interface CallRollup extends Place {
  capability: string
  calls: number
  failed: number
  /** Calls by duration, those without one left out. */
  buckets: number[]
}

/** The start of the UTC hour or day that a time is in. */
export function startOf(grain: Grain, time: number): number {
  return Math.floor(time / GRAIN_MS[grain]) * GRAIN_MS[grain]
}

/** What executions add to the counters by runtime, in one order on every replica: whoever writes them locks them in it. */
export function rollUpExecutions(usages: readonly Usage[]): ExecutionRollup[] {
  const rollups = new Map<string, ExecutionRollup>()
  for (const { usage, grain } of inEveryGrain(usages)) {
    const bucket = bucketOf(usage.durationMs)
    const place = placeOf(usage, grain, bucket)
    const rollup = setDefault(rollups, nameOf(place), () => emptyExecutions(place))
    rollup.executions += 1
    rollup.completed += usage.isCompleted ? 1 : 0
    rollup.failed += usage.isCompleted ? 0 : 1
    rollup.anonymous += usage.isAnonymous ? 1 : 0
    rollup.capabilityCalls += usage.calls.length
    rollup.inputTokens += usage.inputTokens
    rollup.outputTokens += usage.outputTokens
    rollup.durationMs += usage.durationMs
    count(rollup.buckets, bucket)
  }
  return inOrder(rollups)
}

/** What the calls of executions add to the counters by capability, in one order on every replica. */
export function rollUpCalls(usages: readonly Usage[]): CallRollup[] {
  const rollups = new Map<string, CallRollup>()
  for (const { usage, grain } of inEveryGrain(usages)) {
    for (const { capability, isCompleted, durationMs } of usage.calls) {
      const bucket = durationMs === null ? null : bucketOf(durationMs)
      const place = placeOf(usage, grain, bucket ?? 0)
      const empty = () => ({ ...place, capability, calls: 0, failed: 0, buckets: emptyBuckets() })
      const rollup = setDefault(rollups, `${nameOf(place)} ${capability}`, empty)
      rollup.calls += 1
      rollup.failed += isCompleted ? 0 : 1
      if (bucket !== null) count(rollup.buckets, bucket)
    }
  }
  return inOrder(rollups)
}

function inEveryGrain(usages: readonly Usage[]): { usage: Usage; grain: Grain }[] {
  return usages.flatMap((usage) => GRAINS.map((grain) => ({ usage, grain })))
}

function placeOf(usage: Usage, grain: Grain, bucket: number): Place {
  const { ownerId, runtimeId, projectId, startedAt } = usage
  return {
    ownerId,
    grain,
    at: startOf(grain, startedAt),
    runtimeId,
    projectId,
    span: Math.floor(bucket / SPAN_BUCKETS),
  }
}

function nameOf({ ownerId, grain, at, runtimeId, projectId, span }: Place): string {
  return `${ownerId} ${grain} ${at} ${span} ${runtimeId} ${projectId}`
}

function emptyExecutions(place: Place): ExecutionRollup {
  return {
    ...place,
    executions: 0,
    completed: 0,
    failed: 0,
    anonymous: 0,
    capabilityCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    durationMs: 0,
    buckets: emptyBuckets(),
  }
}

function emptyBuckets(): number[] {
  return Array.from({ length: SPAN_BUCKETS }, () => 0)
}

function count(buckets: number[], bucket: number): void {
  const index = bucket % SPAN_BUCKETS
  buckets[index] = (buckets[index] ?? 0) + 1
}

function setDefault<T>(map: Map<string, T>, name: string, make: () => T): T {
  const existing = map.get(name)
  if (existing !== undefined) return existing
  const made = make()
  map.set(name, made)
  return made
}

function inOrder<T>(rollups: Map<string, T>): T[] {
  return [...rollups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rollup]) => rollup)
}
