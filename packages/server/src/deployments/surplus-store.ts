import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { SQL_BYTES } from '../usage/stored-bytes-rules.ts'

/** Which of a runtime's deployments are kept. */
interface Retention {
  ownerId: string
  runtimeId: string
  /** How many of the newest. */
  keep: number
  /** A deployment last used before this time, in epoch ms, is named by no execution that can still be read. */
  usedBefore: number
  /** Further versions that are kept. */
  except?: readonly number[]
}

interface Surplus {
  count: number
  bytes: number
}

/** Deletes a runtime's deployments except the newest, those that serve or served last, and those that an execution names. */
export async function deleteSurplus(db: Db, retention: Retention): Promise<Surplus> {
  const surplus = db.deleteFrom('deployments').where((eb) => isSurplus(eb, retention))
  return totalOf(await surplus.returning(MANIFEST_BYTES.as('bytes')).execute())
}

export async function countSurplus(db: Db, retention: Retention): Promise<Surplus> {
  const surplus = db.selectFrom('deployments').where((eb) => isSurplus(eb, retention))
  return totalOf(await surplus.select(MANIFEST_BYTES.as('bytes')).execute())
}

/** Bytes of a deployment's manifest, as they count towards its account's storage. */
export const MANIFEST_BYTES = sql<number>`${sql.raw(SQL_BYTES.deployments)}`

function totalOf(rows: readonly { bytes: number }[]): Surplus {
  return { count: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) }
}

function isSurplus(eb: ExpressionBuilder<Schema, 'deployments'>, retention: Retention) {
  const { ownerId, runtimeId, keep, usedBefore, except = [] } = retention
  const own = { owner_id: ownerId, runtime_id: runtimeId }
  const newest = eb
    .selectFrom('deployments as newer')
    .select('newer.version')
    .where((newer) => newer.and({ 'newer.owner_id': ownerId, 'newer.runtime_id': runtimeId }))
    .orderBy('newer.version', 'desc')
    .limit(keep)
  const serving = eb
    .selectFrom('runtimes')
    .select('runtime_id')
    .where(matching('runtimes', own))
    .where(sql<SqlBool>`deployments.version in (serving_version, previous_version)`)
  const candidate = eb
    .selectFrom('candidates')
    .select('candidates.runtime_id')
    .where('candidates.runtime_id', '=', runtimeId)
    .whereRef('candidates.version', '=', 'deployments.version')
  const running = eb
    .selectFrom('executions')
    .select('execution_id')
    .where(matching('executions', own))
    // A literal: the index of running executions is partial.
    .where('executions.status', '=', sql.lit('running' as const))
    .whereRef('executions.deployment_version', '=', 'deployments.version')
  return eb.and([
    matching('deployments', own),
    eb('deployments.version', 'not in', newest),
    ...(except.length > 0 ? [eb('deployments.version', 'not in', except)] : []),
    eb.not(eb.exists(serving)),
    eb.not(eb.exists(candidate)),
    eb.not(eb.exists(running)),
    eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', usedBefore)]),
  ])
}
