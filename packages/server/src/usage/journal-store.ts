import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import { insertStatement, runRows } from '../database/row-statement.ts'
import type { Schema } from '../database/schema.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import type { Usage } from './rollup-rules.ts'
import { addUsage } from './rollup-store.ts'

const APPEND = insertStatement('usage_journal', { usages: 'text' })

/** Writes down what ended executions came to, for the counters to be added to later; in the transaction that ends them. */
export async function journalUsage(tx: Tx, usages: readonly Usage[]): Promise<void> {
  if (usages.length > 0) await runRows(tx, APPEND, [{ usages: JSON.stringify(usages) }])
}

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
  /** Whether to wait for entries that another replica is folding, or to leave them to it. */
  isWaiting: boolean
}

/** What one transaction did: how many entries it took from the journal, and which it could not read and set aside. */
export interface Folded {
  taken: number
  parked: number[]
}

/**
 * Adds the oldest entries to the counters and deletes them, in one transaction. Entries are locked before counters and
 * both in one order, so that replicas wait for each other and never in a circle.
 */
export async function foldEntries(db: Kysely<Schema>, range: FoldRange): Promise<Folded> {
  return inTransaction(db, async (tx) => {
    const entries = await lockEntries(tx, range)
    const read = entries.map(({ id, usages }) => ({ id, usages: readUsages(usages) }))
    await addUsage(
      tx,
      read.flatMap(({ usages }) => usages ?? []),
    )
    const parked = read.flatMap(({ id, usages }) => (usages === null ? [id] : []))
    await park(tx, parked)
    await remove(
      tx,
      read.flatMap(({ id, usages }) => (usages === null ? [] : [id])),
    )
    return { taken: entries.length, parked }
  })
}

/** Sets the oldest entry aside, for somebody to look at, where it is one of those; returns its id, or null. */
export async function parkOldest(db: Kysely<Schema>, range: Omit<FoldRange, 'limit'>): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    const [oldest] = await lockEntries(tx, { ...range, limit: 1 })
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

const Usages: z.ZodType<Usage[]> = z.array(
  z.object({
    ownerId: z.string(),
    runtimeId: z.string(),
    projectId: z.string(),
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

async function lockEntries(tx: Tx, { upTo, limit, isWaiting }: FoldRange): Promise<{ id: number; usages: string }[]> {
  const oldest = tx
    .selectFrom('usage_journal')
    .select(['id', 'usages'])
    .where('is_parked', '=', 0)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
  return (isWaiting ? oldest : oldest.skipLocked()).execute()
}

async function park(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('usage_journal')
    .set({ is_parked: 1 })
    .where('id', 'in', [...ids])
    .execute()
}

async function remove(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom('usage_journal')
      .where('id', 'in', [...ids])
      .execute()
}
