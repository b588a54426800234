import type { ExecutionRow } from '../../src/fault/rows.ts'
import type { HeardExecution } from '../../src/fault/streams.ts'

/** The row of a failed execution, where a test says nothing else. */
export function executionRow(fields: Partial<ExecutionRow> = {}): ExecutionRow {
  return {
    executionId: 'exec_1',
    kind: 'execute',
    status: 'failed',
    finishReason: 'error',
    inputTokens: 0,
    outputTokens: 0,
    tag: 't1',
    ...fields,
  }
}

/** What the caller of that execution heard. */
export function heardExecution(fields: Partial<HeardExecution> = {}): HeardExecution {
  return {
    status: 200,
    eventCount: 0,
    told: { executionId: 'exec_1', status: 'failed', finishReason: 'error', inputTokens: 0, outputTokens: 0 },
    hasMore: false,
    text: '',
    brokenBy: null,
    ...fields,
  }
}
