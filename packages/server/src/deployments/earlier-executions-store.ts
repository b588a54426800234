import { sql } from 'kysely'
import type { Tx } from '../store/transaction.ts'
import type { Sample } from './freeze-rules.ts'

const MAX_EXECUTIONS = 1_000
const MAX_AGE_MS = 24 * 3_600_000
/** Read for each status: rows that no candidate could serve are among them, and are left out of the sample. */
const MAX_ROWS = 2_000

interface Stable {
  ownerId: string
  runtimeId: string
  projectId: string
  /** Null where there is none. */
  version: number | null
}

/** The latest ended executions of the stable deployment that a candidate could have served, and how many were bad. */
export async function sampleEarlierExecutions(tx: Tx, stable: Stable, now: number): Promise<Sample> {
  if (stable.version === null) return { executions: 0, bad: 0 }
  const completed = await readNewest(tx, stable, 'completed', now)
  const failed = await readNewest(tx, stable, 'failed', now)
  const taken = [...completed, ...failed].sort((a, b) => b.startedAt - a.startedAt).slice(0, MAX_EXECUTIONS)
  return { executions: taken.length, bad: taken.filter(({ isBad }) => isBad).length }
}

async function readNewest(tx: Tx, stable: Stable, status: 'completed' | 'failed', now: number) {
  const { ownerId, runtimeId, projectId, version } = stable
  const newest = tx
    .selectFrom('executions')
    .select(['started_at', 'deployment_version', 'kind', 'surface', 'finish_reason'])
    .select(sql<number>`failed_calls + unknown_calls`.as('bad_calls'))
    .where('owner_id', '=', ownerId)
    // Runtime and project as one value, and the condition of a partial index: see `executions/history-store.ts`.
    .where(sql<string>`runtime_id || ' ' || project_id`, '=', `${runtimeId} ${projectId}`)
    .where('status', '=', sql.lit(status))
    .where(sql<boolean>`status <> 'running'`)
    .where('started_at', '>=', now - MAX_AGE_MS)
    .orderBy('started_at', 'desc')
    .orderBy('execution_id', 'desc')
    .limit(MAX_ROWS)
  const rows = await tx
    .selectFrom(newest.as('newest'))
    .select(['started_at', 'bad_calls'])
    .where('deployment_version', '=', version)
    // No candidate serves the broker and MCP. Cancelled ones are left out: anybody with the public key can cause them.
    .where('kind', '<>', 'broker')
    .where('surface', 'is', null)
    .where(sql<boolean>`coalesce(finish_reason, '') <> 'cancelled'`)
    .orderBy('started_at', 'desc')
    .limit(MAX_EXECUTIONS)
    .execute()
  return rows.map(({ started_at, bad_calls }) => ({
    startedAt: started_at,
    isBad: status === 'failed' || Number(bad_calls) > 0,
  }))
}
