import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { type NameIn, RollUp, type Usage } from './rollup-rules.ts'
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

/** What one transaction did: how many entries it took from the journal, and which it could not read and set aside. */
export interface Folded {
  taken: number
  parked: number[]
}

class FoldedMeanwhileError extends Error {}

/**
 * Adds the oldest entries to the counters and deletes them, in one transaction, or does nothing. They are read and added
 * up before it begins, and over again where another replica has folded one of them meanwhile. Entries are deleted before
 * counters are written, and both in one order, so that replicas wait for each other and never in a circle. SQLite gives
 * the id of what was deleted to what comes next: there, only one caller at a time may fold.
 */
export async function foldEntries(db: Kysely<Schema>, { pause, nameIn, ...range }: Folding): Promise<Folded> {
  for (;;) {
    const entries = await readEntries(await entriesOf(db, range).execute(), { pause, nameIn })
    const folded = foldedOf(entries)
    if (folded.taken === 0) return folded
    try {
      await inTransaction(db, (tx) => writeFold(tx, entries))
      return folded
    } catch (error) {
      if (!(error instanceof FoldedMeanwhileError)) throw error
    }
  }
}

function foldedOf({ read, unreadable }: ReadEntries): Folded {
  return { taken: read.length + unreadable.length, parked: unreadable }
}

/** Sets the oldest entry aside, for somebody to look at, where it is one of those; returns its id, or null. */
export async function parkOldest(db: Kysely<Schema>, range: Pick<FoldRange, 'upTo'>): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    const [oldest] = await entriesOf(tx, { ...range, limit: 1 })
      .forUpdate()
      .execute()
    if (!oldest) return null
    await park(tx, [oldest.id])
    return oldest.id
  })
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

const Usages: z.ZodType<Usage[]> = z.array(
  z.object({
    ownerId: z.string(),
    runtimeId: z.string(),
    projectId: z.string(),
    // A server of an earlier release writes none.
    deploymentVersion: z.int().nullable().default(null),
    storedBytes: z.int().default(0),
    startedAt: z.int(),
    isCompleted: z.boolean(),
    isAnonymous: z.boolean(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    durationMs: z.int(),
    calls: z.array(z.object({ capability: z.string(), isCompleted: z.boolean(), durationMs: z.int().nullable() })),
  }),
)

function readUsages(text: string): Usage[] | null {
  try {
    return Usages.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

interface Entry {
  id: number
  usages: string
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
  entries: readonly Entry[],
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
  if (unreadable.length > 0) await park(tx, unreadable)
  await addToCounters(tx, rollUp)
}

async function park(tx: Tx, ids: readonly number[]): Promise<void> {
  const parked = await tx
    .updateTable('usage_journal')
    .set({ is_parked: 1 })
    .where('id', 'in', ids)
    .where('is_parked', '=', 0)
    .executeTakeFirst()
  if (parked.numUpdatedRows !== BigInt(ids.length)) throw new FoldedMeanwhileError()
}
