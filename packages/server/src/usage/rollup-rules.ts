import { z } from 'zod'
import { type CandidateCounts, countExecution, noCounts } from './candidate-counts-rules.ts'
import { durationBucket } from './histogram.ts'

/** Usage is counted by UTC hour and also by UTC day, so that a long range reads few rows. */
export type Grain = 'hour' | 'day'

export const GRAIN_MS: Readonly<Record<Grain, number>> = { hour: 3_600_000, day: 86_400_000 }

const GRAINS = ['hour', 'day'] as const

/** How many consecutive duration buckets (`histogram.ts`) one row has columns for. */
export const BUCKETS_PER_SPAN = 16

/** An entry of the usage journal: what each ended execution adds to the counters. */
export const Usages = z.array(
  z.object({
    ownerId: z.string(),
    runtimeId: z.string(),
    projectId: z.string(),
    /** Null where there was no deployment. */
    deploymentVersion: z.int().nullable().default(null),
    /** `candidates.since` when the execution began. A later call has it only as the first bad call of its execution. */
    share: z.int().optional(),
    /** Bytes; see `stored-bytes-rules.ts`. */
    storedBytes: z.int().default(0),
    startedAt: z.int(),
    /** A call that an execution made after its end, once it was approved: the execution is counted already. */
    isLaterCall: z.boolean().optional(),
    /** Set where the outcome of a call is unknown, for the event `call.unknown`. */
    executionId: z.string().optional(),
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
        /** Where its outcome is unknown. */
        callId: z.string().optional(),
      }),
    ),
  }),
)

export type Usage = z.infer<typeof Usages>[number]

/** The key of a counter, in columns. */
type CounterKey = {
  owner_id: string
  grain: Grain
  /** Start of the hour or day in which the execution started. */
  at: number
  /** The first duration bucket of the row is {@link BUCKETS_PER_SPAN} times this number. */
  span: number
  runtime_id: string
  project_id: string
  /** Of calls alone. */
  capability?: string
}

/** The name under which a counter counts calls of a capability. */
export type CounterName = (key: CounterKey, capability: string) => string

/** What is added to the columns of one counter. A call without a duration is in no duration bucket. */
export interface CounterIncrement {
  key: CounterKey
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

export interface UnknownCall {
  usage: Usage
  capability: string
  callId: string
}

/** The executions that ran under one share of a candidate, counted. */
export interface ServedShare {
  runtimeId: string
  version: number
  trafficSetAt: number
  counts: CandidateCounts
}

/** The sums of one hour, which are added to the counter of the hour and to that of its day. */
interface Tally {
  usage: Usage
  span: number
  capability: string | null
  /** In the order of {@link CALL_COLUMNS} or {@link EXECUTION_COLUMNS}: the counts, then the duration buckets of the span. */
  sums: number[]
}

/** Sums usages by counter. All lists are in one order on every replica, in which rows are locked: so no two deadlock. */
export class UsageTotals {
  readonly #executions = new Map<string, Tally>()
  readonly #calls = new Map<string, Tally>()
  readonly #storedBytes = new Map<string, { ownerId: string; bytes: number }>()
  readonly #deployments = new Map<string, DeploymentUse>()
  readonly #shares = new Map<string, ServedShare>()
  readonly #unknownCalls: UnknownCall[] = []
  readonly #counterName: CounterName

  constructor(counterName: CounterName = (_key, name) => name) {
    this.#counterName = counterName
  }

  add(usages: readonly Usage[]): void {
    for (const usage of usages) {
      const { ownerId, isCompleted, isAnonymous, inputTokens, outputTokens, durationMs, calls } = usage
      const bytes = (this.#storedBytes.get(ownerId)?.bytes ?? 0) + usage.storedBytes
      this.#storedBytes.set(ownerId, { ownerId, bytes })
      this.#addUse(usage)
      this.#addUnknown(usage)
      this.#addShare(usage)
      const one = usage.isLaterCall ? 0 : 1
      tally(this.#executions, { usage, capability: null, durationMs: usage.isLaterCall ? null : durationMs }, [
        ...[one, isCompleted ? one : 0, isCompleted ? 0 : one, isAnonymous ? one : 0],
        ...[calls.length, inputTokens, outputTokens, durationMs],
      ])
      for (const call of calls) {
        const { capability, durationMs } = call
        tally(this.#calls, { usage, capability, durationMs }, countsOf(call))
      }
    }
  }

  /** About the number of changed counters. */
  get size(): number {
    return (this.#executions.size + this.#calls.size) * GRAINS.length
  }

  get executions(): CounterIncrement[] {
    return this.#increments(this.#executions, EXECUTION_COLUMNS)
  }

  get calls(): CounterIncrement[] {
    return this.#increments(this.#calls, CALL_COLUMNS)
  }

  get storedBytes(): { ownerId: string; bytes: number }[] {
    return inOrder(this.#storedBytes).filter(({ bytes }) => bytes !== 0)
  }

  get unknownCalls(): readonly UnknownCall[] {
    return this.#unknownCalls
  }

  get shares(): ServedShare[] {
    return inOrder(this.#shares)
  }

  get deploymentUses(): DeploymentUse[] {
    return inOrder(this.#deployments)
  }

  #increments(tallies: ReadonlyMap<string, Tally>, columns: readonly string[]): CounterIncrement[] {
    const increments = new Map<string, CounterIncrement>()
    for (const one of tallies.values()) {
      for (const grain of GRAINS) {
        const key = this.#keyOf(one, grain)
        const text = Object.values(key).join(' ')
        const { counts }: Pick<CounterIncrement, 'counts'> = increments.get(text) ?? { counts: {} }
        for (const [index, column] of columns.entries()) counts[column] = (counts[column] ?? 0) + (one.sums[index] ?? 0)
        increments.set(text, { key, counts })
      }
    }
    return inOrder(increments)
  }

  #keyOf({ usage, span, capability }: Tally, grain: Grain): CounterKey {
    const { ownerId, runtimeId, projectId, startedAt } = usage
    const at = startOf(grain, startedAt)
    const key: CounterKey = { owner_id: ownerId, grain, at, span, runtime_id: runtimeId, project_id: projectId }
    if (capability !== null) key.capability = this.#counterName(key, capability)
    return key
  }

  #addUnknown(usage: Usage): void {
    if (usage.executionId === undefined) return
    for (const { capability, callId } of usage.calls) {
      if (callId !== undefined) this.#unknownCalls.push({ usage, capability, callId })
    }
  }

  #addShare(usage: Usage): void {
    const { runtimeId, deploymentVersion: version, share: trafficSetAt } = usage
    if (trafficSetAt === undefined || version === null) return
    const key = `${runtimeId} ${version} ${trafficSetAt}`
    const served = this.#shares.get(key) ?? { runtimeId, version, trafficSetAt, counts: noCounts() }
    this.#shares.set(key, served)
    if (usage.isLaterCall) served.counts.bad += 1
    else countExecution(served.counts, usage)
  }

  #addUse({ ownerId, runtimeId, deploymentVersion: version, startedAt }: Usage): void {
    if (version === null) return
    const key = `${ownerId} ${runtimeId} ${version}`
    const last_used_at = Math.max(startedAt, this.#deployments.get(key)?.last_used_at ?? 0)
    this.#deployments.set(key, { owner_id: ownerId, runtime_id: runtimeId, version, last_used_at })
  }
}

/** In the order of {@link CALL_COLUMNS}. */
function countsOf({ isCompleted, isUnknown }: Usage['calls'][number]): number[] {
  return [1, isCompleted || isUnknown ? 0 : 1, isUnknown ? 1 : 0]
}

const BUCKETS = Array.from({ length: BUCKETS_PER_SPAN }, (_, index) => `b${index}`)
const CALL_COLUMNS = ['calls', 'failed', 'unknown', ...BUCKETS]
const EXECUTION_COLUMNS = [
  ...['executions', 'completed', 'failed', 'anonymous', 'capability_calls'],
  ...['input_tokens', 'output_tokens', 'duration_ms'],
  ...BUCKETS,
]

/** Adds counts to a tally, and one to its duration bucket, whose column comes after them. */
function tally(
  tallies: Map<string, Tally>,
  { usage, capability, durationMs }: Pick<Tally, 'usage' | 'capability'> & { durationMs: number | null },
  added: readonly number[],
): void {
  const { ownerId, runtimeId, projectId, startedAt } = usage
  const bucket = durationMs === null ? null : durationBucket(durationMs)
  const span = bucket === null ? 0 : Math.floor(bucket / BUCKETS_PER_SPAN)
  const key = `${ownerId} ${runtimeId} ${projectId} ${startOf('hour', startedAt)} ${span} ${capability}`
  let known = tallies.get(key)
  if (!known) {
    known = { usage, span, capability, sums: Array<number>(added.length + BUCKETS_PER_SPAN).fill(0) }
    tallies.set(key, known)
  }
  const { sums } = known
  for (let index = 0; index < added.length; index += 1) sums[index] = (sums[index] ?? 0) + (added[index] ?? 0)
  if (bucket === null) return
  const column = added.length + (bucket % BUCKETS_PER_SPAN)
  sums[column] = (sums[column] ?? 0) + 1
}

function inOrder<T>(byKey: Map<string, T>): T[] {
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
}
