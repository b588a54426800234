import { describe, expect, test } from 'vitest'
import { checkGrowth } from '../src/bench/growth.ts'
import { judge as judgeReplicas } from '../src/bench/replicas.ts'
import { FAULTS } from '../src/fault/endpoint-behaviours.ts'
import { judgeEffects, judgeRounds } from '../src/fault/endpoint-faults.ts'
import type { ExecutionReply } from '../src/fault/executes.ts'
import { judgeDepartures } from '../src/fault/leaving-clients.ts'
import { judgeOutages, type Look } from '../src/fault/postgres-outage.ts'
import type { StoredExecution } from '../src/fault/rows.ts'
import { judgeStops, type Stop, unansweredIn } from '../src/fault/shutdown.ts'
import { judgeOverload } from '../src/fuzz/overload.ts'
import { faultOf } from '../src/fuzz/requests/judge-answer.ts'
import { readAnswer } from '../src/fuzz/requests/raw.ts'
import type { Check } from '../src/support/scenario.ts'
import { ksDistance, median } from '../src/support/statistics.ts'

const missed = (checks: readonly Check[]) => checks.filter(({ passed }) => !passed).map(({ what }) => what)

const ROW: StoredExecution = {
  executionId: 'exec_1',
  ownerId: 'own_1',
  kind: 'execute',
  status: 'failed',
  finishReason: 'cancelled',
  inputTokens: 0,
  outputTokens: 0,
  tokens: 0,
  callCount: 0,
  tag: 't1',
  op: -1,
}
const RESULT = { executionId: 'exec_1', status: 'failed', inputTokens: 0, outputTokens: 0 } as const
const REPLY: ExecutionReply = {
  status: 200,
  headStatus: 200,
  headers: {},
  text: '',
  result: RESULT,
  hasMore: false,
  connectionError: null,
}

describe('a stop', () => {
  const interrupted = {
    ...REPLY,
    tag: 't1',
    result: { ...RESULT, error: { message: 'The service was restarted while the execution ran.' } },
  }
  const STOP = {
    isImpatient: false,
    isAway: false,
    exitMs: 20_000,
    end: { code: 0, signal: null },
    streams: [interrupted],
    rows: [ROW],
    stillRunning: 0,
    unanswered: new Set<string>(),
  } as Stop

  test('that ends each stream as it is stored, in time, passes', () => {
    expect(missed(judgeStops([STOP]))).toEqual([])
  })

  test.each([
    ['without `done`', { streams: [interrupted, { ...REPLY, tag: 't1', result: null }] }],
    ['differs from what is stored', { rows: [{ ...ROW, status: 'completed' }] }],
    ['later than 30 s', { exitMs: 31_000 }],
    ['exit codes', { end: { code: 1, signal: null } }],
    ['left `running`', { stillRunning: 1 }],
  ])('is refused for what is %s', (what, changes) => {
    expect(missed(judgeStops([{ ...STOP, ...changes }]))).toEqual([expect.stringContaining(what)])
  })

  test('whose database never answered a commit may leave that stream without a word', () => {
    const log =
      '{"msg":"an outcome could not be written","executionId":"exec_1","err":{"type":"CommitUnknownError"}}\nx'
    const streams = [interrupted, { ...REPLY, tag: 't1', result: null, connectionError: 'closed' }]
    expect(missed(judgeStops([{ ...STOP, streams, unanswered: unansweredIn(log) }]))).toEqual([])
  })
})

describe('an outage', () => {
  const look = (what: Look['what'], status: number): Look => ({
    what,
    invokedAt: 10_000,
    endedAt: 10_010,
    status,
    hasRetryAfter: true,
  })
  const refused = {
    invokedAt: 10_000,
    endedAt: 10_100,
    outcome: { as: 'refused', status: 500, reason: 'away' },
  } as const
  const outage = (changes = {}) => ({
    from: 0,
    to: 45_000,
    looks: Array.from({ length: 10 }, () => [look('read', 500), look('health', 200), look('readiness', 503)]).flat(),
    operations: Array.from({ length: 10 }, () => refused),
    lasting: [{ as: 'completed', executionId: 'exec_1', tokens: null } as const],
    successMs: 1_000,
    ...changes,
  })

  test('that is answered and survived passes; one that hangs, or ends late, does not', () => {
    expect(missed(judgeOutages([outage()]))).toEqual([])
    const hanging = { ...refused, endedAt: 30_000 }
    expect(missed(judgeOutages([outage({ operations: Array.from({ length: 10 }, () => hanging) })]))).toEqual([
      'longest wait for such a refusal',
    ])
    expect(missed(judgeOutages([outage({ successMs: Number.POSITIVE_INFINITY })]))).toHaveLength(1)
  })
})

test('a departure must leave a cancelled execution, and a caller who stays must be answered', () => {
  const gone = { tag: 't1', route: 'stream', hasLeft: true, isLate: true, status: 0 } as const
  expect(missed(judgeDepartures([gone], [ROW]))).toEqual([])
  expect(missed(judgeDepartures([gone], [{ ...ROW, status: 'completed' }]))).toHaveLength(1)
  expect(missed(judgeDepartures([gone], [{ ...ROW, kind: 'broker', status: 'completed' }]))).toEqual([])
  const others = Array.from({ length: 9 }, () => gone)
  expect(
    missed(judgeDepartures([...others, { ...gone, hasLeft: false, status: 500 }], [ROW, ...others.map(() => ROW)])),
  ).toHaveLength(1)
})

test('a call to a misbehaving endpoint fails with the promised message, and in time', () => {
  const failure = JSON.stringify({ error: { message: FAULTS.silence.messages[0] } })
  const round = (behaviour: 'silence' | 'good', text: string, status: number, tookMs = 3_100) =>
    ({ behaviour, route: 'broker', calls: [{ status, text, tookMs }], requests: 1, residentMb: 0 }) as const
  const good = [round('good', '{"output":{"order":"A-1001"}}', 200, 10)]
  expect(missed(judgeRounds([round('silence', failure, 502)], good))).toEqual([])
  expect(missed(judgeRounds([round('silence', '{}', 502)], good))).toEqual(['answers that are not the promised one'])
  expect(missed(judgeRounds([round('silence', failure, 502, 9_000)], good))).toHaveLength(2)
})

test('what callers of a misbehaving endpoint are answered agrees with its log', () => {
  const answer = (executionId: string, message: string | null) => {
    const failure = message === null ? {} : { error: { message } }
    return { status: 200, text: JSON.stringify({ executionId, ...failure }), tookMs: 1 }
  }
  const [unknown = '', refused = ''] = [FAULTS.silence.messages[0], FAULTS.redirect.messages[0]]
  const calls = [answer('e1', null), answer('e2', unknown), answer('e3', unknown), answer('e4', refused)]
  const rounds = [{ behaviour: 'silence', route: 'capability', calls, requests: 4, residentMb: 0 }] as const
  const row = (at: number, status: string, reconciled?: string) => {
    return {
      callId: `c${at}`,
      executionId: `e${at}`,
      status,
      ...(reconciled && { reconciled: { status: reconciled } }),
    }
  }
  const stored = [row(1, 'completed'), row(2, 'unknown', 'completed'), row(3, 'unknown', 'never'), row(4, 'failed')]
  const judged = (effects: [string, number][], rows = stored) => missed(judgeEffects(rounds, rows, new Map(effects)))
  const log: [string, number][] = [
    ['c1', 1],
    ['c2', 1],
  ]
  expect(judged(log)).toEqual([])
  expect(
    judged([
      ['c1', 2],
      ['c2', 1],
    ]),
  ).toEqual(['calls with more than one effect'])
  expect(judged([...log, ['c4', 1]])).toEqual(['calls without an outcome, or with one they did not have'])
  expect(judged([...log, ['c3', 1]])).toContain('unknown calls of which the endpoint’s log says something else')
  expect(judged(log, [...stored.slice(0, 3), row(4, 'completed')])).toHaveLength(2)
})

test('an overloaded server keeps serving and refuses the rest with Retry-After', () => {
  const load = {
    byStatus: { '200': 1_000, '429': 3_500 },
    servedMs: Array(1_000).fill(20),
    withoutRetryAfter: 0,
    broken: 0,
    seconds: 1,
  }
  const health = { latenciesMs: [5], failures: 0 }
  const run = { capacity: { perSecond: 1_000, p99Ms: 10 }, load, health, alive: 1, othersShare: 0 }
  expect(missed(judgeOverload(run))).toEqual([])
  expect(missed(judgeOverload({ ...run, load: { ...load, withoutRetryAfter: 1, broken: 2 } }))).toHaveLength(2)
  expect(missed(judgeOverload({ ...run, capacity: { perSecond: 2_000, p99Ms: 10 } }))).toEqual(['goodput, of the peak'])
})

describe('an answer', () => {
  const asked = {
    mayFailAsCapability: false,
    mayCloseUnanswered: false,
    isHead: false,
    format: 'envelope',
    insides: ['/data'],
    ownersInsides: [],
  } as const
  const faultIn = (status: number, body: string) => {
    const head = `HTTP/1.1 ${status} X\r\nx-request-id: abcdefgh\r\ncontent-type: application/json\r\n`
    const answer = readAnswer(Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`))
    if (!answer) throw new Error('the answer is whole')
    return faultOf({ kind: 'answer', answer, isOpen: true }, asked)?.kind ?? null
  }
  const envelope = (message: string, more = {}) =>
    JSON.stringify({ error: { code: 'validation_error', message, ...more } })

  test.each([
    [200, '{}', null],
    [400, envelope('The field “at x (node_modules)” is wrong.'), null],
    [400, envelope('It broke at run (main.js:1)'), 'internals'],
    [400, envelope('No.', { stack: 'x' }), 'envelope'],
    [404, 'Not found', 'envelope'],
    [200, '{"folder":"/data"}', 'internals'],
    [500, envelope('Sorry.'), 'server-error'],
  ])('of %i with %s has the fault %s', (status, body, fault) => {
    expect(faultIn(status, body)).toBe(fault)
  })
})

test('growth is judged against the smallest history, and one alone proves nothing', () => {
  const row = (...times: number[]) => ({ name: 'a', times: times.map((ms) => ({ p50: ms, p99: ms, cpu: ms })) })
  expect(missed(checkGrowth(row(1, 3, 2)))).toEqual([])
  expect(missed(checkGrowth(row(1, 3.1)))).toHaveLength(3)
  expect(() => checkGrowth(row(1))).toThrow('nothing to compare')
})

test('replicas that lose a call, or cost much more together, do not pass', () => {
  const run = (replicas: number, owners: 'one' | 'many', serverCpu: number) =>
    ({ replicas, owners, requests: 100, failed: 0, callsPerSecond: 1, p99Ms: 1, serverCpu, databaseCpu: 100 }) as const
  const runs = [run(1, 'one', 100), run(3, 'one', 150), run(1, 'many', 100), run(3, 'many', 150)]
  expect(missed(judgeReplicas(runs, 400))).toEqual([])
  expect(missed(judgeReplicas(runs, 399))).toHaveLength(1)
  expect(missed(judgeReplicas([...runs, run(3, 'one', 900), run(3, 'one', 900)], 600))).toHaveLength(1)
})

test('statistics', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN])
  expect([ksDistance([1, 2], [1, 2]), ksDistance([1, 2], [3, 4]), ksDistance([1, 3], [1, 2])]).toEqual([0, 1, 0.5])
})
