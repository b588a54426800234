import { type Kysely, sql } from 'kysely'
import { firstRow } from '../store/rows.ts'
import type { Schema } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { type CounterName, type Usage, Usages, UsageTotals } from './rollup-rules.ts'
import { addToCounters } from './rollup-store.ts'

/** The id of the newest entry that waits to be aggregated, or null. */
export async function newestEntry(db: Kysely<Schema>): Promise<number | null> {
  const waiting = db.selectFrom('usage_journal').select('id').where('is_parked', '=', 0)
  return (await firstRow(waiting.orderBy('id', 'desc').limit(1)))?.id ?? null
}

export interface EntryRange {
  /** The newest entry of the range. */
  upTo: number
  /** The largest number of entries. Fewer are taken where they change many counters. */
  limit: number
}

interface Aggregation extends EntryRange {
  /** Lets other work run, every few hundred executions. */
  pause(): Promise<void>
  counterName: CounterName
  /** Runs in the transaction that counts, after the counters were written. */
  afterCounting(tx: Tx, totals: UsageTotals): Promise<void>
}

type Reading = Omit<Aggregation, 'afterCounting'>

class AggregatedMeanwhileError extends Error {}

/**
 * Adds the oldest entries to the counters and deletes them; unreadable ones become dead letters (`is_parked`). Entries
 * first, then counters, both in one order, so that replicas never deadlock. SQLite gives the id of a deleted entry to a
 * later one: there only one caller may aggregate at a time.
 */
export async function aggregateEntries(
  db: Kysely<Schema>,
  { pause, counterName, afterCounting, ...range }: Aggregation,
): Promise<{ taken: number; unreadable: number[] }> {
  for (;;) {
    const entries = await readEntries(db, { ...range, pause, counterName })
    const { read, unreadable } = entries
    const taken = read.length + unreadable.length
    try {
      if (taken > 0) await inTransaction(db, (tx) => writeEntries(tx, entries, afterCounting))
      return { taken, unreadable }
    } catch (error) {
      if (!(error instanceof AggregatedMeanwhileError)) throw error
    }
  }
}

/** Makes the oldest entry a dead letter (`is_parked`), and returns its id, or null. */
export async function parkOldest(db: Kysely<Schema>, { upTo }: Pick<EntryRange, 'upTo'>): Promise<number | null> {
  const oldest = entriesOf(db, { upTo, limit: 1 }).clearSelect().select('id')
  const parking = db.updateTable('usage_journal').set({ is_parked: 1 }).where('id', '=', oldest)
  return (await firstRow(parking.where('is_parked', '=', 0).returning('id')))?.id ?? null
}

/** The waiting entries, one a line, as a column of a statement that needs them of the same moment. {@link readWaiting} parses it. */
export const WAITING_USAGES = sql<string | null>`(
  select string_agg(usages, '\n') from (select usages from usage_journal where is_parked = 0) as waiting
)`

/** The usages in {@link WAITING_USAGES}, without unreadable entries. */
export function readWaiting(text: string | null): Usage[] {
  return text === null ? [] : text.split('\n').flatMap((entry) => readUsages(entry) ?? [])
}

/** The waiting usages of all accounts. */
export async function listWaiting(db: Kysely<Schema>): Promise<Usage[]> {
  const { rows } = await sql<{ waiting: string | null }>`select ${WAITING_USAGES} as waiting`.execute(db)
  return readWaiting(rows[0]?.waiting ?? null)
}

function readUsages(text: string): Usage[] | null {
  try {
    return Usages.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

function entriesOf(db: Kysely<Schema>, { upTo, limit }: EntryRange) {
  const waiting = db.selectFrom('usage_journal').select(['id', 'usages']).where('is_parked', '=', 0)
  return waiting.where('id', '<=', upTo).orderBy('id').limit(limit)
}

interface ReadEntries {
  totals: UsageTotals
  read: number[]
  unreadable: number[]
}

/** How many usages are summed before `pause` lets other work run. */
const USAGES_PER_TURN = 250
const ENTRIES_PER_READ = 64
// Writing a counter, which is a row, costs far more than adding a usage to it in memory.
const MAX_COUNTERS = 1_000

async function readEntries(db: Kysely<Schema>, aggregation: Reading): Promise<ReadEntries> {
  const result: ReadEntries = { totals: new UsageTotals(aggregation.counterName), read: [], unreadable: [] }
  let inTurn = 0
  for await (const { id, usages: text } of pagedEntries(db, aggregation)) {
    const usages = readUsages(text)
    result.totals.add(usages ?? [])
    result[usages === null ? 'unreadable' : 'read'].push(id)
    if (result.totals.size >= MAX_COUNTERS) break
    inTurn += usages?.length ?? 0
    if (inTurn < USAGES_PER_TURN) continue
    await aggregation.pause()
    inTurn = 0
  }
  return result
}

async function* pagedEntries(db: Kysely<Schema>, { upTo, limit }: Reading) {
  for (let [after, left] = [0, limit]; left > 0; left -= ENTRIES_PER_READ) {
    const pageSize = Math.min(left, ENTRIES_PER_READ)
    const entries = await entriesOf(db, { upTo, limit: pageSize }).where('id', '>', after).execute()
    yield* entries
    if (entries.length < pageSize) return
    after = entries.at(-1)?.id ?? after
  }
}

async function writeEntries(tx: Tx, entries: ReadEntries, afterCounting: Aggregation['afterCounting']): Promise<void> {
  const { totals, read, unreadable } = entries
  if (read.length > 0) {
    const deleting = tx.deleteFrom('usage_journal').where('id', 'in', read).where('is_parked', '=', 0)
    requireAll(read, (await deleting.executeTakeFirst()).numDeletedRows)
  }
  if (unreadable.length > 0) {
    const discarding = tx.updateTable('usage_journal').set({ is_parked: 1 }).where('id', 'in', unreadable)
    requireAll(unreadable, (await discarding.where('is_parked', '=', 0).executeTakeFirst()).numUpdatedRows)
  }
  await addToCounters(tx, totals)
  await afterCounting(tx, totals)
}

function requireAll(ids: readonly number[], changed: bigint): void {
  if (changed !== BigInt(ids.length)) throw new AggregatedMeanwhileError()
}
