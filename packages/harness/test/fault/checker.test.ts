import { describe, expect, test } from 'vitest'
import { type CallRow, type Evidence, judge, LAWS, type Law, lawChecks } from '../../src/fault/checker.ts'
import type { Operation, Told } from '../../src/fault/history.ts'
import type { Plan } from '../../src/fault/plan.ts'
import { TOKENS_A_TURN } from '../../src/fault/planned-model.ts'

const PLAN: Plan = { op: 1, doorway: 'execute', runtime: 0, calls: 1, callMs: 0, pieceMs: 0, isReset: false }
const TOKENS = 2 * TOKENS_A_TURN

function operation(told: Told, plan: Partial<Plan> = {}): Operation {
  return { plan: { ...PLAN, ...plan }, nodeId: 'node_1', invokedAt: 100, endedAt: 200, told }
}

function call(fields: Partial<CallRow>): CallRow {
  return { callId: 'call_1', executionId: 'exec_1', status: 'completed', error: null, ...fields }
}

const COMPLETED: Told = { as: 'completed', executionId: 'exec_1', tokens: TOKENS }

/** One execution with one call, as it should be. */
function sound(): Evidence {
  return {
    operations: [operation(COMPLETED)],
    executions: [
      {
        executionId: 'exec_1',
        ownerId: 'own_1',
        op: 1,
        kind: 'execute',
        status: 'completed',
        nodeId: 'node_1',
        tokens: TOKENS,
        callCount: 1,
      },
    ],
    calls: [{ callId: 'call_1', executionId: 'exec_1', status: 'completed', error: null }],
    effects: new Map([
      ['call_1', { callId: 'call_1', executionId: 'exec_1', op: 1, count: 1, at: 150, endedAt: 160, wasReset: false }],
    ]),
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
}

function broken(evidence: Evidence): Law[] {
  return [...new Set(judge(evidence).map(({ law }) => law))].sort()
}

/** The sound run with its one execution changed, and its ledger with it. */
function withRow(row: Partial<Evidence['executions'][number]>, told: Told = COMPLETED): Evidence {
  const evidence = sound()
  const executions = evidence.executions.map((stored) => ({ ...stored, ...row }))
  const isFailed = row.status === 'failed'
  const tokens = row.tokens ?? TOKENS
  const ledgers = evidence.ledgers.map((ledger) => ({
    ...ledger,
    usage:
      row.status === 'running'
        ? { executions: 0, completed: 0, failed: 0, capabilityCalls: 0, totalTokens: 0 }
        : { ...ledger.usage, completed: isFailed ? 0 : 1, failed: isFailed ? 1 : 0, totalTokens: tokens },
  }))
  return { ...evidence, executions, ledgers, operations: [operation(told)] }
}

const UNKNOWN: Told = { as: 'unknown', reason: 'socket hang up' }
const FAILED = { as: 'failed', executionId: 'exec_1', reason: 'It failed.' } as const satisfies Told
const NODE_DIED = { nodeId: 'node_1', from: 180, to: Number.POSITIVE_INFINITY }

describe('what is accepted', () => {
  test('a run in which everything happened as it was told', () => {
    expect(judge(sound())).toEqual([])
  })

  test('an operation of unknown outcome that was completed, and one that never came to be', () => {
    const disturbances = [NODE_DIED]
    expect(judge({ ...withRow({}, UNKNOWN), disturbances })).toEqual([])
    const { operations, ...rest } = sound()
    expect(judge({ ...rest, disturbances, operations: [...operations, operation(UNKNOWN, { op: 2 })] })).toEqual([])
  })

  test('an execution that failed because its server died, and one whose call was reset', () => {
    expect(judge({ ...withRow({ status: 'failed', tokens: 0 }, UNKNOWN), disturbances: [NODE_DIED] })).toEqual([])
    const reset = withRow({ status: 'failed', kind: 'broker' }, FAILED)
    const operations = [operation(FAILED, { doorway: 'broker', isReset: true })]
    const ledgers = reset.ledgers.map((ledger) => ({ ...ledger, drawn: { executions: 1, anonymous: 1 } }))
    expect(judge({ ...reset, operations, ledgers })).toEqual([])
  })

  test('a refusal that left nothing', () => {
    const refused = operation({ as: 'refused', status: 429, reason: 'Too many.' }, { op: 2 })
    const { operations, ...rest } = sound()
    expect(judge({ ...rest, operations: [...operations, refused] })).toEqual([])
  })
})

describe('what is refused', () => {
  test('an acknowledged execution that is not stored, or stored with another end', () => {
    const lost = operation({ as: 'completed', executionId: 'exec_2', tokens: 0 }, { op: 2 })
    const { operations, ...rest } = sound()
    expect(broken({ ...rest, operations: [...operations, lost] })).toEqual(['acknowledged'])
    expect(broken({ ...withRow({ status: 'failed' }), disturbances: [NODE_DIED] })).toEqual(['acknowledged'])
    expect(broken(withRow({}, FAILED))).toEqual(['acknowledged'])
    expect(broken(withRow({ status: 'running' }))).toContain('acknowledged')
  })

  test('an execution of nobody, of a refused operation, and two of one', () => {
    const evidence = sound()
    expect(broken({ ...evidence, operations: [] })).toEqual(['admitted'])
    expect(broken(withRow({}, { as: 'refused', status: 429, reason: 'Too many.' }))).toEqual(['admitted'])
    const [row] = evidence.executions
    const twice = row ? [row, { ...row, executionId: 'exec_2' }] : []
    expect(broken({ ...evidence, executions: twice })).toContain('admitted')
  })

  test('an execution that still runs', () => {
    expect(broken({ ...withRow({ status: 'running' }, UNKNOWN), disturbances: [NODE_DIED] })).toEqual(['running'])
  })

  test('a living server that gave no answer', () => {
    expect(broken(withRow({}, UNKNOWN))).toEqual(['answered'])
  })

  test('a refusal of what whoever asked had a right to', () => {
    const { operations, ...rest } = sound()
    const refused = (status: number) => operation({ as: 'refused', status, reason: 'No.' }, { op: 2 })
    for (const status of [400, 401, 403, 404, 409]) {
      expect(broken({ ...rest, operations: [...operations, refused(status)] })).toEqual(['answered'])
    }
    expect(broken({ ...rest, operations: [...operations, refused(429)] })).toEqual([])
  })

  test('a living server’s execution that failed, also when another server or an earlier fault was at hand', () => {
    const failed = withRow({ status: 'failed' }, FAILED)
    expect(broken(failed)).toEqual(['living'])
    expect(broken({ ...failed, disturbances: [{ ...NODE_DIED, nodeId: 'node_2' }] })).toEqual(['living'])
    expect(broken({ ...failed, disturbances: [{ ...NODE_DIED, from: 0, to: 99 }] })).toEqual(['living'])
    expect(broken({ ...failed, disturbances: [{ ...NODE_DIED, from: 201 }] })).toEqual(['living'])
  })

  test('a second effect, and an effect that was not written down', () => {
    const evidence = sound()
    const [effect] = evidence.effects.values()
    const doubled = effect ? new Map([['call_1', { ...effect, count: 2 }]]) : new Map()
    expect(broken({ ...evidence, effects: doubled })).toEqual(['effects'])
    expect(broken({ ...evidence, calls: [] })).toContain('written')
  })

  test('a completed execution that made fewer calls than it was asked for, counted others, or failed one for no cause', () => {
    const evidence = sound()
    const asked = (calls: number, more: Partial<Plan> = {}) => [operation(COMPLETED, { calls, ...more })]
    expect(broken({ ...evidence, operations: asked(2) })).toEqual(['served'])
    const [counted] = withRow({ callCount: 2 }).executions
    const usage = { executions: 1, completed: 1, failed: 0, capabilityCalls: 2, totalTokens: TOKENS }
    const ledgers = evidence.ledgers.map((ledger) => ({ ...ledger, usage }))
    expect(broken({ ...evidence, ledgers, executions: counted ? [counted] : [] })).toEqual(['served'])
    const failed = { ...evidence, calls: [call({ status: 'failed' })] }
    expect(broken(failed)).toEqual(['served'])
    expect(broken({ ...failed, operations: asked(1, { isReset: true }) })).toEqual([])
    expect(broken({ ...failed, effects: new Map(), operations: asked(1, { isReset: true }) })).toEqual(['served'])
    expect(broken({ ...failed, disturbances: [NODE_DIED] })).toEqual([])
  })

  test('a completed broker call of which no call is stored', () => {
    const broker = withRow({ kind: 'broker', tokens: 0, callCount: 0 }, { ...COMPLETED, tokens: null })
    const usage = { executions: 1, completed: 1, failed: 0, capabilityCalls: 0, totalTokens: 0 }
    const ledgers = broker.ledgers.map((ledger) => ({ ...ledger, drawn: { executions: 1, anonymous: 1 }, usage }))
    const operations = [operation({ ...COMPLETED, tokens: null }, { doorway: 'broker' })]
    expect(broken({ ...broker, operations, ledgers, calls: [], effects: new Map() })).toEqual(['served'])
  })

  test('a call without an outcome, and a completed one that reached nobody', () => {
    const evidence = sound()
    const open = [call({ status: 'dispatched' })]
    expect(broken({ ...evidence, calls: open })).toEqual(['calls'])
    expect(broken({ ...evidence, effects: new Map() })).toEqual(['calls'])
  })

  test('an allowance or a usage that differs from what was executed, by one or by a fraction', () => {
    const evidence = sound()
    const [ledger] = evidence.ledgers
    if (!ledger) throw new Error('there is no ledger')
    const drawn = (units: number) => [{ ...ledger, drawn: { executions: units, anonymous: 0 } }]
    for (const units of [0, 2, 1.5, Number.NaN]) {
      expect(broken({ ...evidence, ledgers: drawn(units) })).toEqual(['allowance'])
    }
    for (const name of ['executions', 'completed', 'failed', 'capabilityCalls', 'totalTokens'] as const) {
      const usage = { ...ledger.usage, [name]: ledger.usage[name] + 1 }
      expect(broken({ ...evidence, ledgers: [{ ...ledger, usage }] })).toEqual(['usage'])
    }
  })

  test('tokens that the model did not report, and a model that was asked too often', () => {
    expect(broken(withRow({ tokens: 0 }, { ...COMPLETED, tokens: 0 }))).toEqual(['metering'])
    expect(broken(withRow({}, { ...COMPLETED, tokens: 1 }))).toEqual(['metering'])
    expect(broken({ ...sound(), modelRequests: new Map([[1, 3]]) })).toEqual(['metering'])
  })
})

describe('a call that its server kept back', () => {
  const PAUSED = 'The endpoint is not answering; calls to it are paused for a moment.'
  const RESETS = 10

  /** A broker's call that failed as paused, after so many calls of the same endpoint through the same server were reset. */
  function paused({ resets = RESETS, asked = {}, error = PAUSED, reached = false } = {}): Evidence {
    const base = withRow({ status: 'failed', kind: 'broker', tokens: 0 }, { ...FAILED, reason: PAUSED })
    const earlier = Array.from({ length: resets }, (_, index) => ({
      op: index + 2,
      id: `exec_${index + 2}`,
      call: `call_${index + 2}`,
    }))
    const told = (executionId: string): Told => ({ ...FAILED, executionId })
    const broker = { doorway: 'broker' } as const
    return {
      ...base,
      operations: [
        { ...operation({ ...FAILED, reason: PAUSED }, broker), ...asked },
        ...earlier.map(({ op, id }) => operation(told(id), { ...broker, op, isReset: true })),
      ],
      executions: [
        ...base.executions,
        ...earlier.flatMap(({ op, id }) => base.executions.map((row) => ({ ...row, op, executionId: id }))),
      ],
      calls: [
        call({ status: 'failed', error }),
        ...earlier.map((one) => call({ callId: one.call, executionId: one.id, status: 'failed', error: 'Broken.' })),
      ],
      effects: new Map(
        [...earlier, ...(reached ? [{ op: 1, id: 'exec_1', call: 'call_1' }] : [])].map((one) => [
          one.call,
          { callId: one.call, executionId: one.id, op: one.op, count: 1, at: 120, endedAt: 130, wasReset: one.op > 1 },
        ]),
      ),
      ledgers: base.ledgers.map((ledger) => ({
        ...ledger,
        drawn: { executions: resets + 1, anonymous: resets + 1 },
        usage: {
          executions: resets + 1,
          completed: 0,
          failed: resets + 1,
          capabilityCalls: resets + 1,
          totalTokens: 0,
        },
      })),
    }
  }

  test('failed for a cause where the endpoint had reset as many as it takes', () => {
    expect(judge(paused())).toEqual([])
  })

  test('failed without one after fewer resets, long after them, at another server or another endpoint', () => {
    expect(broken(paused({ resets: RESETS - 1 }))).toEqual(['living'])
    expect(broken(paused({ asked: { invokedAt: 60_000, endedAt: 60_100 } }))).toEqual(['living'])
    expect(broken(paused({ asked: { nodeId: 'node_2' } }))).toEqual(['living'])
    expect(broken(paused({ asked: { plan: { ...PLAN, doorway: 'broker', runtime: 1 } } }))).toEqual(['living'])
  })

  test('leaves an execution of its agent completed, for the same cause and for no other', () => {
    const completed = (resets: number): Evidence => {
      const { operations, executions, ledgers, ...rest } = paused({ resets })
      return {
        ...rest,
        operations: [operation(COMPLETED), ...operations.slice(1)],
        executions: [...sound().executions, ...executions.slice(1)],
        ledgers: ledgers.map(({ usage, ...ledger }) => ({
          ...ledger,
          drawn: { executions: resets + 1, anonymous: resets },
          usage: { ...usage, completed: 1, failed: resets, totalTokens: TOKENS },
        })),
      }
    }
    expect(judge(completed(RESETS))).toEqual([])
    expect(broken(completed(RESETS - 1))).toEqual(['served'])
  })

  test('failed without one where it says something else, or arrived all the same', () => {
    expect(broken(paused({ error: 'The endpoint could not be reached.' }))).toEqual(['living'])
    expect(broken(paused({ reached: true }))).toEqual(['living'])
  })
})

test('there is one check for each law, and it counts its breaches alone', () => {
  const checks = lawChecks([
    { law: 'effects', what: 'call_1 had 2' },
    { law: 'effects', what: 'call_2 had 3' },
  ])
  expect(checks).toHaveLength(Object.keys(LAWS).length)
  const missed = checks.filter(({ passed }) => !passed)
  expect(missed.map(({ what, measured }) => [what, measured])).toEqual([
    [LAWS.effects, '2: call_1 had 2; call_2 had 3'],
  ])
})
