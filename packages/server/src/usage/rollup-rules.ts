import { z } from 'zod'
import { bucketOf } from './histogram.ts'

/** Usage is counted by UTC hour and also by UTC day, so that a long range reads few rows. */
export type Grain = 'hour' | 'day'

export const GRAIN_MS: Readonly<Record<Grain, number>> = { hour: 3_600_000, day: 86_400_000 }

const GRAINS = ['hour', 'day'] as const

/** Consecutive buckets of durations that one row counts. */
export const SPAN_BUCKETS = 16

/** The counts of ended executions. */
export const Usages = z.array(
  z.object({
    ownerId: z.string(),
    runtimeId: z.string(),
    projectId: z.string(),
    /** Null where there was no deployment. */
    deploymentVersion: z.int().nullable().default(null),
    /** Bytes; see `stored-bytes-rules.ts`. */
    storedBytes: z.int().default(0),
    startedAt: z.int(),
    isCompleted: z.boolean(),
    isAnonymous: z.boolean(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    durationMs: z.int(),
    /** `durationMs` is null where no answer came. */
    calls: z.array(
      z.object({
        capability: z.string(),
        isCompleted: z.boolean(),
        isUnknown: z.boolean().default(false),
        durationMs: z.int().nullable(),
      }),
    ),
  }),
)

export type Usage = z.infer<typeof Usages>[number]

/** The key of a counter, in columns. */
type Place = {
  owner_id: string
  grain: Grain
  /** Start of the hour or day in which the execution started. */
  at: number
  /** The buckets of durations in the row: those from 16 times this number. */
  span: number
  runtime_id: string
  project_id: string
  /** Of calls alone. */
  capability?: string
}

/** The name under which calls of a capability are counted there. */
export type NameIn = (place: Place, capability: string) => string

/** Counters by column. A call without a duration is in no bucket. */
export interface Rollup {
  place: Place
  counts: Record<string, number>
}

/** The latest start of an execution on a deployment. */
export type DeploymentUse = {
  owner_id: string
  runtime_id: string
  version: number
  last_used_at: number
}

/** The start of the UTC hour or day of a time. */
export function startOf(grain: Grain, time: number): number {
  return Math.floor(time / GRAIN_MS[grain]) * GRAIN_MS[grain]
}

/** Sums usages by counter. All lists are in one order on every replica, in which rows are locked. */
export class RollUp {
  readonly #executions = new Map<string, Rollup>()
  readonly #calls = new Map<string, Rollup>()
  readonly #storedBytes = new Map<string, { ownerId: string; bytes: number }>()
  readonly #deployments = new Map<string, DeploymentUse>()
  readonly #nameIn: NameIn

  constructor(nameIn: NameIn = (_place, name) => name) {
    this.#nameIn = nameIn
  }

  add(usages: readonly Usage[]): void {
    for (const usage of usages) {
      const { ownerId } = usage
      const bytes = (this.#storedBytes.get(ownerId)?.bytes ?? 0) + usage.storedBytes
      this.#storedBytes.set(ownerId, { ownerId, bytes })
      this.#addUse(usage)
      for (const grain of GRAINS) this.#count(usage, grain)
    }
  }

  get executions(): Rollup[] {
    return inOrder(this.#executions)
  }

  get calls(): Rollup[] {
    return inOrder(this.#calls)
  }

  get storedBytes(): { ownerId: string; bytes: number }[] {
    return inOrder(this.#storedBytes).filter(({ bytes }) => bytes !== 0)
  }

  get deploymentUses(): DeploymentUse[] {
    return inOrder(this.#deployments)
  }

  #count(usage: Usage, grain: Grain): void {
    const bucket = bucketOf(usage.durationMs)
    addTo(this.#executions, placeOf(usage, grain, bucket), bucket, {
      executions: 1,
      completed: usage.isCompleted ? 1 : 0,
      failed: usage.isCompleted ? 0 : 1,
      anonymous: usage.isAnonymous ? 1 : 0,
      capability_calls: usage.calls.length,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      duration_ms: usage.durationMs,
    })
    for (const { capability, isCompleted, isUnknown, durationMs } of usage.calls) {
      const bucket = durationMs === null ? null : bucketOf(durationMs)
      const place = placeOf(usage, grain, bucket ?? 0)
      const counted = { ...place, capability: this.#nameIn(place, capability) }
      addTo(this.#calls, counted, bucket, {
        calls: 1,
        failed: isCompleted || isUnknown ? 0 : 1,
        unknown: isUnknown ? 1 : 0,
      })
    }
  }

  #addUse({ ownerId, runtimeId, deploymentVersion: version, startedAt }: Usage): void {
    if (version === null) return
    const key = `${ownerId} ${runtimeId} ${version}`
    const last_used_at = Math.max(startedAt, this.#deployments.get(key)?.last_used_at ?? 0)
    this.#deployments.set(key, { owner_id: ownerId, runtime_id: runtimeId, version, last_used_at })
  }
}

function placeOf({ ownerId, runtimeId, projectId, startedAt }: Usage, grain: Grain, bucket: number): Place {
  const span = Math.floor(bucket / SPAN_BUCKETS)
  return { owner_id: ownerId, grain, at: startOf(grain, startedAt), span, runtime_id: runtimeId, project_id: projectId }
}

function addTo(rollups: Map<string, Rollup>, place: Place, bucket: number | null, added: Rollup['counts']): void {
  const key = Object.values(place).join(' ')
  const { counts } = rollups.get(key) ?? { counts: { ...EMPTY_BUCKETS } }
  const inBucket = bucket === null ? {} : { [`b${bucket % SPAN_BUCKETS}`]: 1 }
  for (const [column, count] of Object.entries({ ...added, ...inBucket }))
    counts[column] = (counts[column] ?? 0) + count
  rollups.set(key, { place, counts })
}

const EMPTY_BUCKETS = Object.fromEntries(Array.from({ length: SPAN_BUCKETS }, (_, index) => [`b${index}`, 0]))

function inOrder<T>(byKey: Map<string, T>): T[] {
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
}
