import type { Limits } from '../limits.ts'
import type { ApprovalDeps } from './deps.ts'
import { countPending } from './list-store.ts'
import { expireSome } from './outcome-store.ts'
import { recordAbandoned } from './outcomes.ts'

/** How often. An approved call whose node was lost is told `unknown` by then. */
export const APPROVAL_SWEEP_MS = 10_000

const ROWS = 200

/** Ends approvals that nobody decided in time or was told of, and records approved calls whose node is gone. Replicas may sweep at once. */
export async function sweepApprovals(
  deps: Pick<ApprovalDeps, 'db' | 'clock' | 'metrics'> & { limits: Pick<Limits, 'dispatchMs' | 'storedBytes'> },
): Promise<void> {
  for (const which of ['of failed executions', { by: deps.clock.now() }] as const) {
    for (let expired = ROWS; expired === ROWS; ) {
      expired = await expireSome(deps.db, which, ROWS)
      deps.metrics.approvals('expired', expired)
    }
  }
  while ((await recordAbandoned(deps, { maxRows: ROWS })) === ROWS);
  deps.metrics.approvalsPending(await countPending(deps.db))
}
