import type { Settlement } from '../../src/executions/settlement-store.ts'

const STARTED_AT = Date.parse('2026-03-01T12:00:00Z')

let number = 0

/** The settlement of an execution that runs under `node_1`, each of another one. */
export function settlement(changes: Partial<Settlement> = {}): Settlement {
  number += 1
  return {
    ownerId: 'owner_1',
    executionId: `exec_settled_${number}`,
    runtimeId: 'rt_1',
    projectId: 'proj_1',
    deploymentVersion: 1,
    kind: 'execute',
    status: 'completed',
    finishReason: 'stop',
    error: null,
    messageShape: '[]',
    metadata: null,
    steps: [],
    inputTokens: 7,
    outputTokens: 3,
    startedAt: STARTED_AT,
    completedAt: STARTED_AT + 250,
    calls: [],
    openCallBytes: 0,
    heardFrom: false,
    ...changes,
  }
}
