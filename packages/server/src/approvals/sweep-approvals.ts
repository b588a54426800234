import type { Limits } from '../limits.ts'
import type { ApprovalDeps } from './deps.ts'
import { expireSome } from './outcome-store.ts'
import { recordAbandoned } from './outcomes.ts'

const ROWS = 200

/** Ends approvals that nobody decided in time, and records approved calls whose node is gone. Replicas may sweep at once. */
export async function sweepApprovals(
  deps: Pick<ApprovalDeps, 'db' | 'clock'> & { limits: Pick<Limits, 'dispatchMs' | 'storedBytes'> },
): Promise<void> {
  while ((await expireSome(deps.db, { now: deps.clock.now(), limit: ROWS })) === ROWS);
  while ((await recordAbandoned(deps, { maxRows: ROWS })) === ROWS);
}
