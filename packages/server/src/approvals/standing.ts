import type { ApprovalAnswer } from '@svc/contract'
import type { ExecutionDeps } from '../executions/deps.ts'
import type { ExecutionScope } from '../executions/running.ts'
import { pauseUntilStopped } from '../lib/stop-signal.ts'
import { recordAbandoned } from './approved-call.ts'
import { outcomeOf, resultOf, statusAt } from './rules.ts'
import { type ApprovalRow, findApproval } from './store.ts'

type StandingDeps = Pick<ExecutionDeps, 'db' | 'clock' | 'limits'>

/** Where an approval stands in the store. An approved call whose node is dead is recorded as unknown first. */
export async function answerOf(
  deps: StandingDeps,
  approval: Pick<ApprovalRow, 'approval_id'>,
): Promise<ApprovalAnswer> {
  const { approval_id: approvalId } = approval
  const found = await findApproval(deps.db, approvalId)
  const mayBeAbandoned = found?.status === 'approved' && found.result === null
  const isAbandoned = mayBeAbandoned && (await recordAbandoned(deps, { approvalId, maxRows: 1 })) > 0
  const row = isAbandoned ? await findApproval(deps.db, approvalId) : found
  if (!row) throw new Error('an approval is gone that was found a moment ago')
  return toAnswer(row, deps.clock.now())
}

const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000

/** Where it stands once its approved call has ended, on whichever node. Does not wait for a decision. */
export async function awaitOutcome(
  deps: StandingDeps,
  approval: Pick<ApprovalRow, 'approval_id'>,
  { signal }: Pick<ExecutionScope, 'signal'>,
): Promise<ApprovalAnswer> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const answer = await answerOf(deps, approval)
    if (answer.status !== 'approved' || answer.result || signal.aborted) return answer
    await pauseUntilStopped(pauseMs, signal)
  }
}

function toAnswer(row: ApprovalRow, now: number): ApprovalAnswer {
  const result = resultOf(row, now)
  const outcome = outcomeOf(row)
  return {
    approvalId: row.approval_id,
    status: statusAt(row, now),
    executionId: row.execution_id,
    ...(result && { result }),
    ...(outcome && { outcome }),
  }
}
