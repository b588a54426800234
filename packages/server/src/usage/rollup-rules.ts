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
  /** The deployment that it ran on; null where there was none. */
  deploymentVersion: number | null
  /** Payloads that were stored with it; see `usage/stored-bytes-rules.ts`. */
  storedBytes: number
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

/** When the newest of some executions on one deployment started. */
export interface DeploymentUse {
  ownerId: string
  runtimeId: string
  version: number
  lastUsedAt: number
}

/** The start of the UTC hour or day that a time is in. */
export function startOf(grain: Grain, time: number): number {
  return Math.floor(time / GRAIN_MS[grain]) * GRAIN_MS[grain]
}

/** What ended executions add to the counters. They are added bit by bit: there may be many of them. */
export class RollUp {
  readonly #executions = new Map<string, ExecutionRollup>()
  readonly #calls = new Map<string, CallRollup>()
  readonly #storedBytes = new Map<string, number>()
  readonly #deployments = new Map<string, DeploymentUse>()

  add(usages: readonly Usage[]): void {
    for (const usage of usages) {
      this.#storedBytes.set(usage.ownerId, (this.#storedBytes.get(usage.ownerId) ?? 0) + usage.storedBytes)
      this.#addUse(usage)
      for (const grain of GRAINS) {
        this.#addExecution(usage, grain)
        for (const call of usage.calls) this.#addCall(usage, grain, call)
      }
    }
  }

  /** By runtime, in one order on every replica: whoever writes them locks them in it. */
  get executions(): ExecutionRollup[] {
    return inOrder(this.#executions)
  }

  /** By capability, in one order on every replica. */
  get calls(): CallRollup[] {
    return inOrder(this.#calls)
  }

  /** By account, in one order on every replica. */
  get storedBytes(): { ownerId: string; bytes: number }[] {
    return [...this.#storedBytes]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([ownerId, bytes]) => (bytes === 0 ? [] : [{ ownerId, bytes }]))
  }

  /** By runtime and version, in one order on every replica. */
  get deploymentUses(): DeploymentUse[] {
    return inOrder(this.#deployments)
  }

  #addUse({ ownerId, runtimeId, deploymentVersion: version, startedAt }: Usage): void {
    if (version === null) return
    const use = setDefault(this.#deployments, `${ownerId} ${runtimeId} ${version}`, () => {
      return { ownerId, runtimeId, version, lastUsedAt: startedAt }
    })
    use.lastUsedAt = Math.max(use.lastUsedAt, startedAt)
  }

  #addExecution(usage: Usage, grain: Grain): void {
    const bucket = bucketOf(usage.durationMs)
    const place = placeOf(usage, grain, bucket)
    const rollup = setDefault(this.#executions, nameOf(place), () => emptyExecutions(place))
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

  #addCall(usage: Usage, grain: Grain, { capability, isCompleted, durationMs }: CallUsage): void {
    const bucket = durationMs === null ? null : bucketOf(durationMs)
    const place = placeOf(usage, grain, bucket ?? 0)
    const empty = () => ({ ...place, capability, calls: 0, failed: 0, buckets: emptyBuckets() })
    const rollup = setDefault(this.#calls, `${nameOf(place)} ${capability}`, empty)
    rollup.calls += 1
    rollup.failed += isCompleted ? 0 : 1
    if (bucket !== null) count(rollup.buckets, bucket)
  }
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
