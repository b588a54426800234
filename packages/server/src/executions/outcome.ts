import type { AgentResult } from '../agent/agent-event.ts'
import type { StopReason } from './running.ts'
import { INTERRUPTED } from './settlement-rules.ts'

export type Outcome =
  | { status: 'completed'; finishReason: 'stop' | 'length' | 'approval_required'; error: null }
  | { status: 'failed'; finishReason: 'error' | 'cancelled'; error: string }

const STOPPED: Readonly<Record<StopReason, string>> = {
  cancelled: 'The caller left or cancelled the execution before it ended.',
  deleted: 'The runtime was deleted while the execution ran.',
  deadline: 'The execution took too long and was stopped.',
  shutdown: 'The service was restarted while the execution ran.',
  'lease-lost': INTERRUPTED,
}

/** The outcome of an execution. A reason for which it was stopped counts before the loop's own result. */
export function outcomeOf(result: AgentResult, stopReason: StopReason | null): Outcome {
  if (stopReason !== null) return stoppedOutcome(stopReason)
  if (result.finishReason === 'error') return { status: 'failed', finishReason: 'error', error: result.error }
  if (result.finishReason === 'cancelled') return stoppedOutcome('cancelled')
  return { status: 'completed', finishReason: result.finishReason, error: null }
}

export function stoppedOutcome(reason: StopReason): Outcome {
  return { status: 'failed', finishReason: reason === 'cancelled' ? 'cancelled' : 'error', error: STOPPED[reason] }
}
