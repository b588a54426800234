import { type ApprovalList, type ApprovalStatus, JsonObject } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import type { Reserve } from '../admission/in-flight.ts'
import { goneRuntimes } from '../deletions/store.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import { cutPage, type PageRequest } from '../store/page.ts'
import { retainedSince } from '../usage/retention-rules.ts'
import { pageOfApprovals, readApprovals } from './list-store.ts'
import { tracedApproval } from './rules.ts'

/** One page of an owner's approvals, newest first. `reserve` hears of its bytes. */
export async function listApprovals(
  { db, clock }: Pick<ExecutionDeps, 'db' | 'clock'>,
  owner: Owner,
  { reserve, status, ...page }: PageRequest & { status: ApprovalStatus | undefined; reserve: Reserve },
): Promise<ApprovalList> {
  const now = clock.now()
  const except = await goneRuntimes(db, owner.ownerId)
  const filter = { status, now, except, from: retainedSince(owner.tier, now), ...page }
  const found = await pageOfApprovals(db, owner.ownerId, filter)
  const { shown, nextCursor } = cutPage(found, page.limit, (row) => ({ at: row.created_at, id: row.approval_id }))
  reserve(shown.reduce((sum, { bytes }) => sum + bytes, 0))
  const ids = shown.map((row) => row.approval_id)
  const rows = await readApprovals(db, owner.ownerId, ids)
  const approvals = rows.map((row) => ({
    ...tracedApproval(row, now),
    runtimeId: row.runtime_id,
    executionId: row.execution_id,
    deploymentVersion: row.deployment_version,
    input: JsonObject.parse(JSON.parse(row.input)),
  }))
  return { approvals, nextCursor }
}
