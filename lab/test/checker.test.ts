import { describe, expect, test } from 'vitest'
import {
  type Evidence,
  INVARIANTS,
  type Invariant,
  invariantChecks,
  judge,
  TOKENS_A_TURN,
} from '../src/fault/checker.ts'
import type { ClientOutcome, Operation, Plan } from '../src/fault/operations.ts'

const PLAN: Plan = { op: 1, route: 'execute', runtime: 0, calls: 1, callMs: 0, pieceMs: 0, isReset: false }
const TOKENS = 2 * TOKENS_A_TURN
const COMPLETED: ClientOutcome = { as: 'completed', executionId: 'exec_1', tokens: TOKENS }
const FAILED: ClientOutcome = { as: 'failed', executionId: 'exec_1', reason: 'It failed.' }
const UNKNOWN: ClientOutcome = { as: 'unknown', reason: 'socket hang up' }
const REFUSED: ClientOutcome = { as: 'refused', status: 429, reason: 'Too many.' }
const NODE_DIED = { nodeId: 'node_1', from: 180, to: Number.POSITIVE_INFINITY }

function operation(outcome: ClientOutcome, plan: Partial<Plan> = {}): Operation {
  return { plan: { ...PLAN, ...plan }, nodeId: 'node_1', invokedAt: 100, endedAt: 200, outcome }
}

/** One execution with one call, as it should be. */
const SOUND: Evidence = {
  operations: [operation(COMPLETED)],
  executions: [
    {
      executionId: 'exec_1',
      ownerId: 'own_1',
      op: 1,
      kind: 'execute',
      status: 'completed',
      tokens: TOKENS,
      callCount: 1,
    },
  ],
  calls: [{ callId: 'call_1', executionId: 'exec_1', status: 'completed' }],
  effects: new Map([['call_1', 1]]),
  modelRequests: new Map([[1, 2]]),
  ledgers: [
    {
      ownerId: 'own_1',
      drawn: { executions: 1, anonymous: 0 },
      usage: { executions: 1, completed: 1, failed: 0, capabilityCalls: 1, totalTokens: TOKENS },
    },
  ],
  disturbances: [],
}

/** The sound run with its one execution changed, and its ledger with it. */
function withRow(row: Partial<Evidence['executions'][number]>, outcome: ClientOutcome = COMPLETED): Evidence {
  const [stored] = SOUND.executions
  const [ledger] = SOUND.ledgers
  if (!stored || !ledger) throw new Error('there is one of each')
  const isFailed = row.status === 'failed'
  const ended = {
    ...ledger.usage,
    completed: isFailed ? 0 : 1,
    failed: isFailed ? 1 : 0,
    totalTokens: row.tokens ?? TOKENS,
  }
  const nothing = { executions: 0, completed: 0, failed: 0, capabilityCalls: 0, totalTokens: 0 }
  const ledgers = [{ ...ledger, usage: row.status === 'running' ? nothing : ended }]
  return { ...SOUND, executions: [{ ...stored, ...row }], ledgers, operations: [operation(outcome)] }
}

function broken(evidence: Evidence): Invariant[] {
  return [...new Set(judge(evidence).map(({ of }) => of))].sort()
}

const disturbances = [NODE_DIED]
const withOperation = (outcome: ClientOutcome): Evidence => ({
  ...SOUND,
  operations: [...SOUND.operations, operation(outcome, { op: 2 })],
})

const ACCEPTED: Record<string, Evidence> = {
  'a run without a violation': SOUND,
  'an unknown outcome of a dead node that was completed': { ...withRow({}, UNKNOWN), disturbances },
  'an unknown outcome of a dead node that never came to be': { ...withOperation(UNKNOWN), disturbances },
  'an execution that its dead node interrupted': { ...withRow({ status: 'failed', tokens: 0 }, UNKNOWN), disturbances },
  'a refusal that left nothing': withOperation(REFUSED),
  'a broker call whose endpoint was reset': {
    ...withRow({ status: 'failed', kind: 'broker' }, FAILED),
    operations: [operation(FAILED, { route: 'broker', isReset: true })],
    ledgers: withRow({ status: 'failed' }).ledgers.map((one) => ({ ...one, drawn: { executions: 1, anonymous: 1 } })),
  },
}

const BROKEN: Record<string, [Invariant, Evidence]> = {
  'an acknowledged execution that is not stored': [
    'acknowledged',
    withOperation({ ...COMPLETED, executionId: 'exec_2' }),
  ],
  'an execution stored with another end': ['acknowledged', withRow({}, FAILED)],
  'an execution that nobody asked for': ['admitted', { ...SOUND, operations: [] }],
  'an execution that was refused': ['admitted', withRow({}, REFUSED)],
  'an execution that still runs': ['running', { ...withRow({ status: 'running' }, UNKNOWN), disturbances }],
  'a living server that gave no answer': ['answered', withRow({}, UNKNOWN)],
  'a refusal for no cause': ['answered', withOperation({ ...REFUSED, status: 403 })],
  'a living server’s execution that failed': ['living', withRow({ status: 'failed' }, FAILED)],
  'a call with two effects': ['effects', { ...SOUND, effects: new Map([['call_1', 2]]) }],
  'an effect that was not written down': ['written', { ...SOUND, effects: new Map([...SOUND.effects, ['call_2', 1]]) }],
  'a call that never ended': [
    'calls',
    { ...SOUND, calls: SOUND.calls.map((call) => ({ ...call, status: 'dispatched' })) },
  ],
  'a completed call without an effect': ['calls', { ...SOUND, effects: new Map() }],
  'a call that is stored as failed and had its effect': [
    'calls',
    { ...withCall({ status: 'failed' }), disturbances: [{ nodeId: 'node_1', from: 0, to: 1_000 }] },
  ],
  'an unknown call that the log knows better': [
    'reconciled',
    {
      ...withCall({ status: 'unknown', reconciled: { status: 'never' } }),
      disturbances: [{ nodeId: 'node_1', from: 0, to: 1_000 }],
    },
  ],
  'a bucket drawn by halves': ['allowance', withDrawn({ executions: 1.5, anonymous: 0 })],
  'usage counted twice': ['usage', withUsage({ executions: 2 })],
  'tokens that the model did not report': ['metering', withRow({ tokens: 7 }, { ...COMPLETED, tokens: 7 })],
  'an execution without its call': ['served', { ...SOUND, calls: [], effects: new Map() }],
}

function withCall(changes: Partial<Evidence['calls'][number]>): Evidence {
  return { ...SOUND, calls: SOUND.calls.map((call) => ({ ...call, ...changes })) }
}

function withDrawn(drawn: Evidence['ledgers'][number]['drawn']): Evidence {
  return { ...SOUND, ledgers: SOUND.ledgers.map((ledger) => ({ ...ledger, drawn })) }
}

function withUsage(usage: Partial<Evidence['ledgers'][number]['usage']>): Evidence {
  return { ...SOUND, ledgers: SOUND.ledgers.map((ledger) => ({ ...ledger, usage: { ...ledger.usage, ...usage } })) }
}

describe('the invariants', () => {
  test.each(Object.entries(ACCEPTED))('accept %s', (_, evidence) => {
    expect(judge(evidence)).toEqual([])
  })

  test.each(Object.entries(BROKEN))('refuse %s', (_, [invariant, evidence]) => {
    expect(broken(evidence)).toEqual([invariant])
  })

  test('are each one check, which shows some of what broke it', () => {
    const checks = invariantChecks([{ of: 'effects', text: 'call_1 had 2' }])
    expect(checks).toHaveLength(Object.keys(INVARIANTS).length)
    expect(checks.filter(({ passed }) => !passed)).toMatchObject([
      { what: INVARIANTS.effects, measured: '1: call_1 had 2' },
    ])
  })
})
