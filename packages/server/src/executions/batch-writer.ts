import {
  CommitUnknownError,
  DatabaseError,
  isConnectionFault,
  isOutage,
  noteWithoutEffect,
} from '../database/errors.ts'
import { outlast, type Pause, type Try } from '../database/outlast.ts'
import type { Deps } from '../deps.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { Stop } from '../lib/stop-signal.ts'
import { type Admission, type AdmissionRequest, type Outcomes, type Settlement, toCallRows } from './batch-rules.ts'
import type { WriteBatch } from './batch-store.ts'
import type { DispatchedCall } from './call-rules.ts'

interface Waiting<In, Out> {
  item: In
  /** Of its payloads, in characters. */
  length: number
  resolve(answer: Out): void
  reject(error: unknown): void
}

interface Items {
  admissions: Waiting<AdmissionRequest, Admission | null>[]
  calls: Waiting<DispatchedCall, boolean>[]
  settlements: Waiting<{ settlement: Settlement; isRepeat: boolean }, boolean>[]
}

const NAMES = ['settlements', 'calls', 'admissions'] as const

export type BatchWriter = ReturnType<typeof createBatchWriter>

export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'
}

const MAX_BATCH = 512
const MAX_QUEUED = 20_000

// A batch is one text, or a few. Without a bound the payloads of one account could make it outlast the time limit of a
// statement, or the memory, and fail what others wait for.
const MAX_BATCH_LENGTH = 8 * 1024 * 1024

type WriterDeps = Pick<Deps, 'clock' | 'metrics'> & { write: WriteBatch; nodeId: string; pause: Pause }

/**
 * The one queue of writes for executions. What comes during a transaction makes the next one, what comes in the same turn
 * of the event loop goes together, and nothing waits for a timer. A batch that is refused is written item by item, so that
 * a bad item fails alone. While connections fail, calls and outcomes wait, and admissions are refused.
 */
export function createBatchWriter(deps: WriterDeps) {
  const queue: Items = { admissions: [], calls: [], settlements: [] }
  const late = new Stop()
  const state: WriterState = { ...deps, queue, late, areCallsLate: false, away: null }
  let working: Promise<void> | undefined
  async function work(): Promise<void> {
    await nextTurn()
    while (sizeOf(queue) > 0) await writeSurely(state, takeBatch(queue))
    working = undefined
  }
  function submit<In, Out>(waiting: Waiting<In, Out>[], item: In, length: number): Promise<Out> {
    if (waiting.length >= MAX_QUEUED)
      return Promise.reject(new QueueFullError(`${MAX_QUEUED} items are waiting already`))
    return new Promise((resolve, reject) => {
      waiting.push({ item, length, resolve, reject })
      working ??= work()
    })
  }
  return {
    /** Null where this node holds no lease. Rejects at once while the database is away. */
    admit: (request: AdmissionRequest): Promise<Admission | null> =>
      state.away ? Promise.reject(state.away) : submit(queue.admissions, request, payloadLength(request)),
    record: (call: DispatchedCall): Promise<boolean> => submit(queue.calls, call, call.input.length),
    /** `isRepeat`: an earlier transaction may have written it. */
    settle: (settlement: Settlement, isRepeat = false): Promise<boolean> =>
      submit(queue.settlements, { settlement, isRepeat }, payloadLength(settlement)),
    depth: (name: keyof Items) => queue[name].length,
    /** From now on a database that is away is not waited for: by calls, or by anything for more than a second. */
    hurry(what: 'calls' | 'all') {
      state.areCallsLate = true
      if (what === 'all') late.abort()
    },
    async drain() {
      while (working !== undefined) await working
    },
  }
}

interface WriterState extends WriterDeps {
  queue: Items
  late: Stop
  areCallsLate: boolean
  /** Why admissions are refused while a batch waits for the database. */
  away: unknown
}

const NOTHING: Items = { admissions: [], calls: [], settlements: [] }

function sizeOf({ admissions, calls, settlements }: Items): number {
  return admissions.length + calls.length + settlements.length
}

function payloadLength({ row }: AdmissionRequest | Settlement): number {
  const metadata = 'metadata' in row ? row.metadata : null
  return row.message_shape.length + (metadata?.length ?? 0) + (row.calls?.length ?? 0)
}

/** Settlements come first: they make room. */
function takeBatch({ admissions, calls, settlements }: Items): Items {
  const room = { items: MAX_BATCH, length: MAX_BATCH_LENGTH }
  return {
    settlements: takeSome(settlements, room),
    calls: takeSome(calls, room),
    admissions: takeSome(admissions, room),
  }
}

/** Takes from the front while there is room; the last one may be longer than what is left. */
function takeSome<W extends { length: number }>(waiting: W[], room: { items: number; length: number }): W[] {
  let taken = 0
  for (; taken < waiting.length && taken < room.items && room.length > 0; taken += 1) {
    room.length -= waiting[taken]?.length ?? 0
  }
  room.items -= taken
  return waiting.splice(0, taken)
}

/** Answers every item. Returns why, where the database itself has failed. */
async function writeSurely(state: WriterState, items: Items): Promise<unknown> {
  try {
    await writeOutlasting(state, items)
    return null
  } catch (error) {
    if (sizeOf(items) > 1 && !isOutage(error)) return writeOneByOne(state, items)
    refuse(items, error)
    return isOutage(error) ? error : null
  } finally {
    state.away = null
  }
}

async function writeOneByOne(state: WriterState, items: Items): Promise<unknown> {
  const alone = NAMES.flatMap((name) => items[name].map((one): Items => ({ ...NOTHING, [name]: [one] })))
  let outage: unknown = null
  for (const one of alone) {
    if (outage === null) outage = await writeSurely(state, one)
    else refuse(one, outage)
  }
  return outage
}

/**
 * Writes a batch, over again while connections fail. Once a commit was not answered each further try asks first what
 * stands of it. Throws a `CommitUnknownError` where that stays unknown.
 */
async function writeOutlasting(state: WriterState, items: Items): Promise<void> {
  let doubt: CommitUnknownError | null = null
  const writeOnce = async (attempt: Try) => {
    try {
      const outcomes = await writeMeasured(state, items, { attempt, isRepeat: doubt !== null })
      state.away = null
      answer(items, outcomes)
    } catch (error) {
      const isFirstDoubt = error instanceof CommitUnknownError && doubt === null
      if (error instanceof CommitUnknownError) doubt = error
      if (isConnectionFault(error) && !isFirstDoubt) refuseImpatient(state, items, { doubt, error })
      if (sizeOf(items) > 0) throw error
    }
  }
  try {
    await outlast(state.pause, writeOnce, state.late)
  } catch (error) {
    throw doubt ?? error
  }
}

/** Admissions do not wait for a database that is away, and neither do calls once the service stops. */
function refuseImpatient(state: WriterState, items: Items, { doubt, error }: { doubt: unknown; error: unknown }): void {
  state.away = new DatabaseError({ code: '08006', message: 'the database is away', cause: error })
  noteWithoutEffect(state.away)
  if (doubt === null) noteWithoutEffect(error)
  refuse({ ...NOTHING, admissions: items.admissions.splice(0) }, doubt ?? error)
  if (state.areCallsLate) refuse({ ...NOTHING, calls: items.calls.splice(0) }, error)
  refuse({ ...NOTHING, admissions: state.queue.admissions.splice(0) }, state.away)
}

async function writeMeasured(
  { write, clock, metrics, nodeId }: WriterState,
  items: Items,
  { attempt, isRepeat }: { attempt: Try; isRepeat: boolean },
): Promise<Outcomes> {
  const startedAt = clock.now()
  const named = NAMES.filter((name) => items[name].length > 0)
  const batch = {
    admissions: items.admissions.map(({ item }) => item),
    calls: toCallRows(items.calls.map(({ item }) => item)),
    settlements: items.settlements.map(({ item }) => item.settlement),
  }
  try {
    return await write(batch, {
      nodeId,
      now: startedAt,
      isRepeat: isRepeat || items.settlements.some(({ item }) => item.isRepeat),
      beforeCommit: attempt.commit,
    })
  } catch (error) {
    for (const name of named) metrics.databaseFailed(name)
    throw error
  } finally {
    const durationMs = Math.max(0, clock.now() - startedAt)
    for (const name of named) metrics.batchEnded({ name, size: items[name].length, durationMs })
  }
}

function answer({ admissions, calls, settlements }: Items, outcomes: Outcomes): void {
  for (const [index, { resolve }] of admissions.entries()) resolve(outcomes.admissions[index] ?? null)
  for (const [index, { resolve }] of settlements.entries()) resolve(outcomes.settlements[index] ?? false)
  const names = new Map<string, number>()
  for (const { item, resolve } of calls) {
    const index = names.get(item.executionId) ?? names.size
    names.set(item.executionId, index)
    resolve(outcomes.calls[index] ?? false)
  }
}

function refuse(items: Items, error: unknown): void {
  for (const name of NAMES) for (const waiting of items[name]) waiting.reject(error)
}
