import type { ExecutionDeps } from '../executions/deps.ts'
import type { Limits } from '../limits.ts'
import { recordAbandoned } from './approved-call.ts'
import { expireSome } from './approved-call-store.ts'
import { countPending } from './list-store.ts'

/** How often: within this time after the lease of a dead node was removed, its approved calls are `unknown`. */
export const APPROVAL_SWEEP_MS = 10_000

const ROWS = 200

/**
 * Expires approvals whose time is up or execution failed, and records approved calls of dead nodes as unknown. Replicas may
 * sweep at once.
 */
export async function sweepApprovals(
  deps: Pick<ExecutionDeps, 'db' | 'clock' | 'metrics'> & { limits: Pick<Limits, 'dispatchMs' | 'storedBytes'> },
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
