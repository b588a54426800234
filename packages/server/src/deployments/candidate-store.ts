import { type Selectable, sql } from 'kysely'
import { updateRuntime } from '../runtimes/store.ts'
import { firstRow, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import type { Tx } from '../store/transaction.ts'
import { addCounts, CandidateCounts, noCounts } from '../usage/candidate-counts-rules.ts'
import type { ServedShare } from '../usage/rollup-rules.ts'
import type { AccountEvent } from '../webhooks/rules.ts'
import { frozenReason, judgeCandidate, type Sample } from './freeze-rules.ts'

export type CandidateRow = Selectable<Schema['candidates']>

interface NewCandidate {
  ownerId: string
  runtimeId: string
  version: number
  /** Percent. */
  traffic: number
  /** Executions of the stable deployment before. */
  earlier: Sample
  now: number
}

export function findCandidate(db: Db, owner_id: string, runtime_id: string): Promise<CandidateRow | null> {
  return firstRow(db.selectFrom('candidates').selectAll().where(matching('candidates', { owner_id, runtime_id })))
}

/** Makes a deployment the candidate with this share. It replaces another one; counts begin anew, and a freeze ends. */
export async function setCandidate(tx: Tx, candidate: NewCandidate): Promise<void> {
  const { ownerId, runtimeId, version, traffic, earlier, now } = candidate
  const counts = JSON.stringify(noCounts())
  const share = {
    ...{ version, traffic, stable_counts: counts, counts, tested_at: 0, frozen_reason: null, frozen_at: null },
    ...{ earlier_executions: earlier.executions, earlier_bad: earlier.bad },
  }
  await tx
    .insertInto('candidates')
    .values({ runtime_id: runtimeId, owner_id: ownerId, since: now, ...share })
    .onConflict((conflict) =>
      conflict.column('runtime_id').doUpdateSet({
        ...share,
        since: sql<number>`case when candidates.since < ${now} then ${now} else candidates.since + 1 end`,
      }),
    )
    .execute()
}

export async function deleteCandidate(tx: Tx, runtimeId: string): Promise<void> {
  await tx.deleteFrom('candidates').where('runtime_id', '=', runtimeId).execute()
}

/**
 * Adds what was served to the counts of candidates whose share is still the same, and freezes those that turn out worse than
 * the stable deployment: from the next admission on they serve nobody, on any replica. Returns the events. The caller has
 * locked the accounts' rows.
 */
export async function countShares(tx: Tx, served: readonly ServedShare[], now: number): Promise<AccountEvent[]> {
  if (served.length === 0) return []
  const runtimeIds = [...new Set(served.map(({ runtimeId }) => runtimeId))]
  const own = tx.selectFrom('candidates').selectAll().where('runtime_id', 'in', runtimeIds)
  const candidates = await own.orderBy('runtime_id').forUpdate().execute()
  const events: AccountEvent[] = []
  for (const candidate of candidates) {
    const own = served.filter((one) => one.runtimeId === candidate.runtime_id && one.trafficSetAt === candidate.since)
    if (own.length > 0) events.push(...(await countCandidate(tx, { candidate, served: own, now })))
  }
  return events
}

interface Counting {
  candidate: CandidateRow
  served: readonly ServedShare[]
  now: number
}

async function countCandidate(tx: Tx, { candidate, served, now }: Counting): Promise<AccountEvent[]> {
  const { owner_id: ownerId, runtime_id: runtimeId, version, tested_at: testedAt } = candidate
  const { stable, counts } = readCounts(candidate)
  for (const one of served) addCounts(one.version === version ? counts : stable, one.counts)
  const earlier = { executions: candidate.earlier_executions, bad: candidate.earlier_bad }
  const judged = candidate.frozen_at === null ? judgeCandidate({ candidate: counts, stable, earlier }, testedAt) : null
  const reason = judged?.isWorse ? frozenReason(counts, judged) : null
  const changes = {
    stable_counts: JSON.stringify(stable),
    counts: JSON.stringify(counts),
    ...(judged && { tested_at: counts.executions }),
    ...(reason !== null && { traffic: 0, frozen_reason: reason, frozen_at: now }),
  }
  await tx.updateTable('candidates').set(changes).where('runtime_id', '=', runtimeId).execute()
  if (reason === null) return []
  await updateRuntime(tx, ownerId, { runtimeId, now })
  return [{ ownerId, runtimeId, type: 'deployment.frozen', data: { version, reason }, at: now }]
}

export function readCounts({ stable_counts, counts }: Pick<CandidateRow, 'stable_counts' | 'counts'>) {
  return { stable: CandidateCounts.parse(JSON.parse(stable_counts)), counts: CandidateCounts.parse(JSON.parse(counts)) }
}
