import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { SQL_BYTES } from '../usage/stored-bytes-rules.ts'

/** How many of a runtime's deployments stay, and which. */
export interface Keeping {
  ownerId: string
  runtimeId: string
  /** How many of the newest. */
  keep: number
  /** No execution that is shown names a deployment last used before this time. */
  usedBefore: number
  /** Versions that are kept besides. */
  except?: readonly number[]
}

/** Deletes a runtime's deployments but for the newest ones, the serving one, and those that an execution names. */
export async function deleteSurplus(db: Kysely<Schema>, keeping: Keeping): Promise<{ count: number; bytes: number }> {
  const deleted = await db
    .deleteFrom('deployments')
    .where('owner_id', '=', keeping.ownerId)
    .where('runtime_id', '=', keeping.runtimeId)
    .where((eb) => isSurplus(eb, keeping))
    .returning(BYTES.as('bytes'))
    .execute()
  return { count: deleted.length, bytes: deleted.reduce((sum, { bytes }) => sum + bytes, 0) }
}

/** What would be deleted. */
export async function countSurplus(db: Kysely<Schema>, keeping: Keeping): Promise<{ count: number; bytes: number }> {
  const row = await db
    .selectFrom('deployments')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number | null>(BYTES).as('bytes')])
    .where('owner_id', '=', keeping.ownerId)
    .where('runtime_id', '=', keeping.runtimeId)
    .where((eb) => isSurplus(eb, keeping))
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), bytes: row.bytes ?? 0 }
}

const BYTES = sql<number>`${sql.raw(SQL_BYTES.deployments)}`

function isSurplus(eb: ExpressionBuilder<Schema, 'deployments'>, keeping: Keeping) {
  const { ownerId, runtimeId, keep, usedBefore, except = [] } = keeping
  const newest = eb
    .selectFrom('deployments as newer')
    .select('newer.version')
    .where('newer.owner_id', '=', ownerId)
    .where('newer.runtime_id', '=', runtimeId)
    .orderBy('newer.version', 'desc')
    .limit(keep)
  const serving = eb
    .selectFrom('runtimes')
    .select('runtime_id')
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .whereRef('serving_version', '=', 'deployments.version')
  // Spelled out, as the index of what runs wants it.
  const running = eb
    .selectFrom('executions')
    .select('execution_id')
    .where('executions.owner_id', '=', ownerId)
    .where('executions.status', '=', sql.lit('running' as const))
    .where('executions.runtime_id', '=', runtimeId)
    .whereRef('executions.deployment_version', '=', 'deployments.version')
  return eb.and([
    eb('deployments.version', 'not in', newest),
    ...(except.length > 0 ? [eb('deployments.version', 'not in', except)] : []),
    eb.not(eb.exists(serving)),
    eb.not(eb.exists(running)),
    eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', usedBefore)]),
  ])
}
