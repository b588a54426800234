import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { type NameIn, RollUp, type Usage, Usages } from './rollup-rules.ts'
import { addToCounters } from './rollup-store.ts'

/** The id of the newest entry that waits to be folded, or null. */
export async function newestEntry(db: Kysely<Schema>): Promise<number | null> {
  const row = await db
    .selectFrom('usage_journal')
    .select('id')
    .where('is_parked', '=', 0)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

export interface FoldRange {
  /** The newest entry to be folded. */
  upTo: number
  limit: number
}

interface Folding extends FoldRange {
  /** Lets others have their turn, every few hundred executions. */
  pause(): Promise<void>
  nameIn: NameIn
}

class FoldedMeanwhileError extends Error {}

/**
 * Moves the oldest entries to the counters, and sets aside (`parked`) those that cannot be read. Entries are deleted before
 * counters are written, and both in one order, so that replicas wait for each other and never in a circle. SQLite gives the
 * id of what was deleted to what comes next: there, only one caller at a time may fold.
 */
export async function foldEntries(
  db: Kysely<Schema>,
  { pause, nameIn, ...range }: Folding,
): Promise<{ taken: number; parked: number[] }> {
  for (;;) {
    const entries = await readEntries(await entriesOf(db, range).execute(), { pause, nameIn })
    const { read, unreadable: parked } = entries
    const taken = read.length + parked.length
    try {
      if (taken > 0) await inTransaction(db, (tx) => writeFold(tx, entries))
      return { taken, parked }
    } catch (error) {
      if (!(error instanceof FoldedMeanwhileError)) throw error
    }
  }
}

/** Sets the oldest entry aside, for somebody to look at, where it is one of those; returns its id, or null. */
export async function parkOldest(db: Kysely<Schema>, range: Pick<FoldRange, 'upTo'>): Promise<number | null> {
  const parked = await db
    .updateTable('usage_journal')
    .set({ is_parked: 1 })
    .where(
      'id',
      '=',
      entriesOf(db, { ...range, limit: 1 })
        .clearSelect()
        .select('id'),
    )
    .where('is_parked', '=', 0)
    .returning('id')
    .executeTakeFirst()
  return parked?.id ?? null
}

/**
 * What waits to be folded, an entry a line, for a statement that has to be exact by itself. {@link readWaiting} reads it.
 */
export const WAITING_USAGES = sql<string | null>`(
  select string_agg(usages, '\n') from (select usages from usage_journal where is_parked = 0) as waiting
)`

/** The usages in a text of {@link WAITING_USAGES}; what cannot be read is left out, as it is of the counters. */
export function readWaiting(text: string | null): Usage[] {
  return text === null ? [] : text.split('\n').flatMap((entry) => readUsages(entry) ?? [])
}

/** What has ended and waits to be folded, whoever its owner is. */
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

function entriesOf(db: Kysely<Schema>, { upTo, limit }: FoldRange) {
  return db
    .selectFrom('usage_journal')
    .select(['id', 'usages'])
    .where('is_parked', '=', 0)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit)
}

/** Entries as they are to be written: what they add up to, and the ids of those that cannot be read. */
interface ReadEntries {
  rollUp: RollUp
  read: number[]
  unreadable: number[]
}

// Some ten thousand executions end between two folds of a busy server, and hundreds of callers wait for the next turn.
const USAGES_PER_TURN = 250

async function readEntries(
  entries: readonly { id: number; usages: string }[],
  { pause, nameIn }: Pick<Folding, 'pause' | 'nameIn'>,
): Promise<ReadEntries> {
  const result: ReadEntries = { rollUp: new RollUp(nameIn), read: [], unreadable: [] }
  let inTurn = 0
  for (const { id, usages: text } of entries) {
    const usages = readUsages(text)
    result.rollUp.add(usages ?? [])
    result[usages === null ? 'unreadable' : 'read'].push(id)
    inTurn += usages?.length ?? 0
    if (inTurn < USAGES_PER_TURN) continue
    await pause()
    inTurn = 0
  }
  return result
}

async function writeFold(tx: Tx, { rollUp, read, unreadable }: ReadEntries): Promise<void> {
  if (read.length > 0) {
    const removed = await tx
      .deleteFrom('usage_journal')
      .where('id', 'in', read)
      .where('is_parked', '=', 0)
      .executeTakeFirst()
    if (removed.numDeletedRows !== BigInt(read.length)) throw new FoldedMeanwhileError()
  }
  if (unreadable.length > 0) {
    const parked = await tx
      .updateTable('usage_journal')
      .set({ is_parked: 1 })
      .where('id', 'in', unreadable)
      .where('is_parked', '=', 0)
      .executeTakeFirst()
    if (parked.numUpdatedRows !== BigInt(unreadable.length)) throw new FoldedMeanwhileError()
  }
  await addToCounters(tx, rollUp)
}
