import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { Stop } from '../lib/stop-signal.ts'
import { CommitUnknownError, DatabaseError, isConnectionFault, isOutage, markNothingWritten } from '../store/errors.ts'
import { type Pause, retryConnectionFaults, type Try } from '../store/retry.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Admission, AdmissionRequest, BatchOutcomes, CallRow } from './batch-rules.ts'
import type { WriteBatch } from './batch-store.ts'
import { callText, type DispatchedCall } from './call-rules.ts'
import type { Settlement } from './settlement-rules.ts'

interface Waiting<Item, Outcome> {
  item: Item
  /** Of its payloads, in characters. */
  length: number
  isRepeat: boolean
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

interface Items {
  settlements: Waiting<Settlement, boolean>[]
  calls: Waiting<CallRow, boolean>[]
  admissions: Waiting<AdmissionRequest, Admission | null>[]
}

const KINDS = ['settlements', 'calls', 'admissions'] as const
const NO_ITEMS: Items = { settlements: [], calls: [], admissions: [] }

export type BatchWriter = ReturnType<typeof createBatchWriter>

export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'
}

const MAX_BATCH = 512
const MAX_QUEUED = 20_000
// Large payloads of one account must not make a batch exceed the time limit of a statement, or the memory.
const MAX_BATCH_LENGTH = 8 * 1024 * 1024

interface WriterDeps {
  clock: Clock
  metrics: Metrics
  write: WriteBatch
  nodeId: string
  pause: Pause
}

interface WriterState extends WriterDeps {
  queue: Items
  current: Items
  stopping: Stop
  isStoppingCalls: boolean
  /** Why admissions are refused while a batch waits for the database. */
  outage: unknown
}

/**
 * The queue of writes for executions. Items that arrive during a transaction, or in the same turn of the event loop, make
 * the next batch. A batch that is refused is written item by item, so that a bad item fails alone. While connections fail,
 * calls and settlements wait, and admissions are refused.
 */
export function createBatchWriter(deps: WriterDeps) {
  const queue: Items = { settlements: [], calls: [], admissions: [] }
  const begun = { queue, current: NO_ITEMS, stopping: new Stop(), isStoppingCalls: false, outage: null }
  const state: WriterState = { ...deps, ...begun }
  let working: Promise<void> | undefined
  async function work(): Promise<void> {
    await nextTurn()
    while (sizeOf(queue) > 0) {
      state.current = takeBatch(queue)
      const outage = await writeItems(state, state.current)
      // Each batch would wait one more second for the database, and a stopping process has little time.
      if (outage !== null && state.stopping.aborted) refuseQueue(queue, outage)
    }
    working = undefined
  }
  function submit<Item, Outcome>(waiting: Waiting<Item, Outcome>[], item: Item, length: number, isRepeat = false) {
    return new Promise<Outcome>((resolve, reject) => {
      if (waiting.length >= MAX_QUEUED) return reject(new QueueFullError(`${MAX_QUEUED} items are waiting already`))
      waiting.push({ item, length, isRepeat, resolve, reject })
      working ??= work()
    })
  }
  return {
    /** Null where this node holds no lease. Rejects at once while the database is away. */
    admit: (request: AdmissionRequest): Promise<Admission | null> =>
      state.outage ? Promise.reject(state.outage) : submit(queue.admissions, request, payloadLength(request)),
    /** False where this node no longer runs the execution, or stops: the call is not to be sent. */
    record(call: DispatchedCall): Promise<boolean> {
      if (state.isStoppingCalls) return Promise.resolve(false)
      const calls = callText(call)
      return submit(queue.calls, { execution_id: call.executionId, owner_id: call.ownerId, calls }, calls.length)
    },
    /** `isRepeat`: an earlier transaction may have written it. */
    settle: (settlement: Settlement, isRepeat = false): Promise<boolean> =>
      submit(queue.settlements, settlement, payloadLength(settlement), isRepeat),
    depth: (kind: keyof Items) => queue[kind].length,
    /** From now on calls are answered false, waiting ones included. `all`: a try is abandoned after one second, too. */
    stopWaiting(what: 'calls' | 'all') {
      state.isStoppingCalls = true
      for (const { resolve } of [...state.current.calls, ...queue.calls.splice(0)]) resolve(false)
      if (what === 'all') state.stopping.abort()
    },
    async drain() {
      while (working !== undefined) await working
    },
  }
}

function sizeOf({ admissions, calls, settlements }: Items): number {
  return admissions.length + calls.length + settlements.length
}

function payloadLength({ row }: AdmissionRequest | Settlement): number {
  const metadata = 'metadata' in row ? row.metadata : null
  return row.message_shape.length + (metadata?.length ?? 0) + (row.calls?.length ?? 0)
}

/** Settlements come first: they free room. */
function takeBatch({ settlements, calls, admissions }: Items): Items {
  const room = { items: MAX_BATCH, length: MAX_BATCH_LENGTH }
  return {
    settlements: takeSome(settlements, room),
    calls: takeSome(calls, room),
    admissions: takeSome(admissions, room),
  }
}

/** Takes from the front while there is room. The last item may exceed it. */
function takeSome<W extends { length: number }>(waiting: W[], room: { items: number; length: number }): W[] {
  let taken = 0
  for (; taken < waiting.length && taken < room.items && room.length > 0; taken += 1) {
    room.length -= waiting[taken]?.length ?? 0
  }
  room.items -= taken
  return waiting.splice(0, taken)
}

async function writeOneByOne(state: WriterState, items: Items): Promise<unknown> {
  let outage: unknown = null
  for (const one of KINDS.flatMap((kind) => items[kind].map((item): Items => ({ ...NO_ITEMS, [kind]: [item] })))) {
    if (outage === null) outage = await writeItems(state, one)
    else refuse(one, outage)
  }
  return outage
}

/** Writes items, again while connections fail, and answers each. Returns the fault where the database itself has failed. */
async function writeItems(state: WriterState, items: Items): Promise<unknown> {
  // If one try leaves it unknown whether the commit took place, every item fails with that.
  let unknown: CommitUnknownError | null = null
  const writeOnce = async (attempt: Try) => {
    try {
      const outcomes = await writeMeasured(state, items, attempt, unknown !== null)
      state.outage = null
      answer(items, outcomes)
    } catch (error) {
      const isFirstUnknown = error instanceof CommitUnknownError && unknown === null
      if (error instanceof CommitUnknownError) unknown = error
      if (isConnectionFault(error) && !isFirstUnknown) refuseWaiting(state, items, unknown, error)
      if (sizeOf(items) > 0) throw error
    }
  }
  try {
    await retryConnectionFaults(state.pause, writeOnce, state.stopping)
    return null
  } catch (error) {
    const fault = unknown ?? error
    if (sizeOf(items) > 1 && !isOutage(fault)) return writeOneByOne(state, items)
    refuse(items, fault)
    return isOutage(fault) ? fault : null
  } finally {
    state.outage = null
  }
}

/** Admissions do not wait for a database that is away. */
function refuseWaiting(state: WriterState, items: Items, unknown: unknown, error: unknown): void {
  state.outage = new DatabaseError({ code: '08006', message: 'the database is away', cause: error })
  markNothingWritten(state.outage)
  if (unknown === null) markNothingWritten(error)
  for (const { reject } of items.admissions.splice(0)) reject(unknown ?? error)
  for (const { reject } of state.queue.admissions.splice(0)) reject(state.outage)
}

async function writeMeasured(
  { write, clock, metrics, nodeId }: WriterState,
  { admissions, calls, settlements }: Items,
  attempt: Try,
  isRepeated: boolean,
): Promise<BatchOutcomes> {
  const now = clock.now()
  const sizes = { settlements: settlements.length, calls: calls.length, admissions: admissions.length }
  const kinds = KINDS.filter((kind) => sizes[kind] > 0)
  const batch = {
    admissions: admissions.map(({ item }) => item),
    calls: calls.map(({ item }) => item),
    settlements: settlements.map(({ item }) => item),
  }
  const isRepeat = isRepeated || settlements.some((waiting) => waiting.isRepeat)
  try {
    return await write(batch, { nodeId, now, isRepeat, beforeCommit: attempt.commit })
  } catch (error) {
    for (const kind of kinds) metrics.databaseFailed(kind)
    throw error
  } finally {
    const durationMs = Math.max(0, clock.now() - now)
    for (const kind of kinds) metrics.batchEnded({ name: kind, size: sizes[kind], durationMs })
  }
}

function answer({ settlements, calls, admissions }: Items, outcomes: BatchOutcomes): void {
  for (const [index, { resolve }] of settlements.entries()) resolve(outcomes.settlements[index] ?? false)
  for (const [index, { resolve }] of calls.entries()) resolve(outcomes.calls[index] ?? false)
  for (const [index, { resolve }] of admissions.entries()) resolve(outcomes.admissions[index] ?? null)
}

function refuseQueue({ settlements, calls, admissions }: Items, cause: unknown): void {
  const error = new DatabaseError({ code: '08006', message: 'the service stops, and the database is away', cause })
  markNothingWritten(error)
  refuse({ settlements: settlements.splice(0), calls: calls.splice(0), admissions: admissions.splice(0) }, error)
}

function refuse(items: Items, error: unknown): void {
  for (const kind of KINDS) for (const waiting of items[kind]) waiting.reject(error)
}
