import { describe, expect, test } from 'vitest'
import { redactorOf } from '../../src/dispatch/redact.ts'
import type { Admitted } from '../../src/executions/admit.ts'
import { type Outcome, outcomeOf, stoppedOutcome } from '../../src/executions/outcome.ts'
import { settle } from '../../src/executions/settle.ts'
import type { ExecutionEnd, Settlement } from '../../src/executions/settlement-rules.ts'
import type { RecordedTrace } from '../../src/executions/trace-recorder.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { NO_METRICS } from '../../src/telemetry/metrics.ts'
import { UsageTotals } from '../../src/usage/rollup-rules.ts'
import { StorageBudget } from '../../src/usage/storage-budget.ts'
import { createTestClock } from '../support/clock.ts'
import { newRow, settlement } from '../support/settlement.ts'

const COMPLETED: Outcome = { status: 'completed', finishReason: 'stop', error: null }
const EMPTY: RecordedTrace = {
  messageShape: '[]',
  steps: [],
  inputTokens: 0,
  outputTokens: 0,
  calls: [],
}

describe('what an execution came to', () => {
  // holds EXE-07
  test.each([
    [{ finishReason: 'stop' }, { status: 'completed', finishReason: 'stop', error: null }],
    [{ finishReason: 'length' }, { status: 'completed', finishReason: 'length', error: null }],
    [
      { finishReason: 'error', error: 'The model is busy.' },
      { status: 'failed', finishReason: 'error', error: 'The model is busy.' },
    ],
    [
      { finishReason: 'cancelled' },
      { status: 'failed', finishReason: 'cancelled', error: expect.stringContaining('left') },
    ],
  ] as const)('when the loop ended with %j', (result, outcome) => {
    expect(outcomeOf(result, null)).toEqual(outcome)
  })

  test.each([
    ['cancelled', 'cancelled', 'The caller left'],
    ['deadline', 'error', 'took too long'],
    ['shutdown', 'error', 'was restarted'],
  ] as const)('when it was stopped by %s, however the loop ended', (reason, finishReason, error) => {
    for (const result of [
      { finishReason: 'stop' },
      { finishReason: 'cancelled' },
      { finishReason: 'error', error: 'x' },
    ] as const) {
      expect(outcomeOf(result, reason)).toEqual({
        status: 'failed',
        finishReason,
        error: expect.stringContaining(error),
      })
    }
    expect(stoppedOutcome(reason)).toEqual(outcomeOf({ finishReason: 'stop' }, reason))
  })
})

describe('settling', () => {
  test('writes what the caller is told, and tells it after it was written', async () => {
    const { written, result } = await settled(COMPLETED, { isWritten: true })
    expect(written.row).toMatchObject({ status: 'completed', finish_reason: 'stop', error: null })
    expect(result).toEqual({ outcome: COMPLETED, durationMs: 250 })
  })

  test('tells of a failure where the end was not this node’s to write', async () => {
    const { written, result } = await settled(COMPLETED, { isWritten: false })
    expect(written.row.status).toBe('completed')
    expect(result.outcome).toMatchObject({
      status: 'failed',
      finishReason: 'error',
      error: expect.stringContaining('could not be recorded'),
    })
  })

  test('an execution never ends before it began, whatever the clock does', async () => {
    const { written, result } = await settled(COMPLETED, { elapsedMs: -5000 })
    expect(written.row.completed_at).toBe(written.usage.startedAt)
    expect(result.durationMs).toBe(0)
  })

  test('writes the counts, the steps and the shapes of the trace', async () => {
    const messageShape = '[{"role":"user","parts":[{"type":"text"}]}]'
    const steps = [{ startedAt: 1, durationMs: 2, inputTokens: 7, outputTokens: 3 }]
    const trace = { ...EMPTY, messageShape, steps, inputTokens: 7, outputTokens: 3 }
    const { written } = await settled(COMPLETED, { trace })
    const { model_steps, ...row } = written.row
    expect(row).toMatchObject({ steps: 1, input_tokens: 7, output_tokens: 3, message_shape: messageShape })
    expect(JSON.parse(model_steps ?? '')).toEqual(steps)
  })
})

const call = (status: 'completed' | 'failed' | 'unknown') => ({
  callId: 'call_1',
  ordinal: 0,
  capability: 'echo',
  step: 1,
  input: '{}',
  startedAt: 0,
  status,
  output: null,
  error: null,
  durationMs: 1,
})

describe('under a share of a candidate', () => {
  const counted = (end: Partial<ExecutionEnd>) => {
    const totals = new UsageTotals()
    totals.add([settlement({ deployment_version: 2, trafficSetAt: 1 }, end).usage])
    return totals.shares.map(({ counts }) => [counts.executions, counts.bad])
  }

  test('an execution is bad with a call whose outcome is unknown', () => {
    expect(counted({ calls: [call('completed')] })).toEqual([[1, 0]])
    expect(counted({ calls: [call('unknown')] })).toEqual([[1, 1]])
  })

  test('an execution that its caller left does not count', () => {
    expect(counted({ status: 'failed', finishReason: 'error' })).toEqual([[1, 1]])
    expect(counted({ status: 'failed', finishReason: 'cancelled' })).toEqual([])
  })
})

describe('a sign of life is noted', () => {
  const worked = { ...EMPTY, calls: [call('failed'), call('completed')] }

  test('when a call succeeded', async () => {
    expect((await settled(COMPLETED, { trace: worked })).written.endpointAnswered).toBe(true)
  })

  test('but not for calls that failed, nor for an execution without any', async () => {
    for (const trace of [EMPTY, { ...EMPTY, calls: [call('failed')] }]) {
      expect((await settled(COMPLETED, { trace })).written.endpointAnswered).toBe(false)
    }
  })
})

interface Situation {
  isWritten?: boolean
  elapsedMs?: number
  trace?: RecordedTrace
}

async function settled(outcome: Outcome, situation: Situation) {
  const { isWritten = true, elapsedMs = 250, trace = EMPTY } = situation
  const clock = createTestClock()
  const startedAt = clock.now()
  clock.advance(elapsedMs)
  const written: Settlement[] = []
  const settlements = {
    async settle(settlement: Settlement) {
      written.push(settlement)
      return isWritten
    },
  }
  const candidates = { note: () => {} }
  const shared = { metrics: NO_METRICS, limits: DEFAULT_LIMITS, storage: new StorageBudget() }
  const deps = { settlements, clock, candidates, ...shared }
  const result = await settle(deps, admitted(startedAt), outcome, trace)
  const [first] = written
  if (!first || written.length > 1) throw new Error(`${written.length} outcomes were written`)
  return { written: first, result }
}

function admitted(startedAt: number): Admitted<null> {
  return {
    executionId: 'exec_1',
    row: newRow({ started_at: startedAt }),
    request: {
      kind: 'execute',
      metadata: undefined,
      messageShape: '[]',
      endUserToken: undefined,
      redactor: redactorOf(undefined),
      call: null,
    },
    runtime: {
      ownerId: 'own_1',
      tier: 'free',
      runtimeId: 'rt_shop0001',
      projectId: 'proj_1',
      revision: 1,
      endpoint: 'https://shop.example.com/svc',
      allowedOrigins: [],
      secrets: { current: new Secret('x'), previous: null },
      deployment: null,
      candidate: null,
    },
  }
}
