import type { ApprovalStatus } from '@svc/contract'
import { sql } from 'kysely'
import { type PageRequest, pageBy } from '../store/page.ts'
import type { Db } from '../store/schema.ts'
import { APPROVAL_BYTES } from './store.ts'

export interface ApprovalFilter extends PageRequest {
  status: ApprovalStatus | undefined
  /** Runtimes that were deleted. */
  except: readonly string[]
  /** The earliest creation, inclusive. */
  from: number
  now: number
}

/** Which of an owner's approvals a page and the row after it hold, newest first, and the bytes of each. Their payloads are not read. */
export async function pageOfApprovals(db: Db, ownerId: string, filter: ApprovalFilter) {
  const pages = await Promise.all(
    rangesOf(filter).map((condition) =>
      db
        .selectFrom('approvals')
        .select(['approval_id', 'created_at', APPROVAL_BYTES.as('bytes')])
        .where('owner_id', '=', ownerId)
        .where(condition)
        .where('created_at', '>=', filter.from)
        .$if(filter.except.length > 0, (some) => some.where('runtime_id', 'not in', filter.except))
        .$call(pageBy('created_at', 'approval_id', filter))
        .execute(),
    ),
  )
  return pages
    .flat()
    .sort(newestFirst)
    .slice(0, filter.limit + 1)
}

interface Placed {
  created_at: number
  approval_id: string
}

function newestFirst(a: Placed, b: Placed): number {
  return b.created_at - a.created_at || (a.approval_id < b.approval_id ? 1 : -1)
}

// Each is a range of an index. Until the sweep, an approval whose time is up is stored as pending.
function rangesOf({ status, now }: ApprovalFilter) {
  if (status === undefined) return [sql<boolean>`true`]
  if (status === 'pending') return [sql<boolean>`status = 'pending' and expires_at > ${now}`]
  if (status === 'expired') {
    return [sql<boolean>`status = 'expired'`, sql<boolean>`status = 'pending' and expires_at <= ${now}`]
  }
  return [sql<boolean>`status = ${status}`]
}

const LISTED = [
  ...(['approval_id', 'runtime_id', 'execution_id', 'call_id', 'capability', 'deployment_version', 'status'] as const),
  ...(['input', 'preview', 'created_at', 'expires_at', 'decided_at'] as const),
] as const

/** An owner's approvals of these ids, newest first. */
export async function readApprovals(db: Db, ownerId: string, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('approvals')
    .select(LISTED)
    .where('owner_id', '=', ownerId)
    .where('approval_id', 'in', ids)
    .execute()
  return rows.sort(newestFirst)
}

/** The approvals that an execution asked for, in the order of its calls. */
export function approvalsOfExecution(db: Db, ownerId: string, executionId: string) {
  return db
    .selectFrom('approvals')
    .select(['approval_id', 'call_id', 'capability', 'status', 'preview', 'preview_hash'])
    .select(['created_at', 'expires_at', 'decided_at'])
    .where((eb) => eb.and({ owner_id: ownerId, execution_id: executionId }))
    .orderBy('ordinal')
    .execute()
}

/** How many calls of a runtime wait for a person. */
export async function countWaiting(
  db: Db,
  { ownerId, runtimeId }: { ownerId: string; runtimeId: string },
  now: number,
): Promise<number> {
  const ofRuntime = pending(db).where('owner_id', '=', ownerId).where('runtime_id', '=', runtimeId)
  return Number((await ofRuntime.where('expires_at', '>', now).executeTakeFirstOrThrow()).count)
}

/** How many calls wait for a person, of all accounts. */
export async function countPending(db: Db): Promise<number> {
  return Number((await pending(db).executeTakeFirstOrThrow()).count)
}

function pending(db: Db) {
  const counted = db.selectFrom('approvals').select((eb) => eb.fn.countAll<number>().as('count'))
  return counted.where('status', '=', sql.lit('pending' as const))
}
