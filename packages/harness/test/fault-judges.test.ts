import { describe, expect, test } from 'vitest'
import { type DiskAnswer, judgeDisk } from '../src/fault/disk/judge.ts'
import { judgeEndpointFaults, type Probe, type Round } from '../src/fault/endpoint-faults/judge.ts'
import { type Departure, judgeDepartures } from '../src/fault/leaving-clients/judge.ts'
import { judgeModelFaults, type ModelHistory } from '../src/fault/model-faults/judge.ts'
import { speakTurn } from '../src/fault/model-turn.ts'
import { type Arrival, judgeRotation } from '../src/fault/rotation/judge.ts'
import { heardExecution as heard, executionRow as row } from './support/evidence.ts'

const exchange = { tag: 't1', index: 0, arrivedAt: 1_000, sentAt: [], closedAt: 1_010, wasLeft: false }
const effect = { callId: 'call_1', executionId: 'exec_1' }

describe('model faults', () => {
  const history = (fields: Partial<ModelHistory> = {}): ModelHistory => ({
    case: {
      tag: 't1',
      fault: 'cut',
      isStream: true,
      plays: [{ pieces: [], end: 'end' }],
      expected: {
        status: 'failed',
        effects: 0,
        tokens: { inputTokens: 0, outputTokens: 0 },
        requests: { min: 1, max: 1 },
      },
    },
    heard: heard(),
    heardAt: 1_020,
    row: row(),
    exchanges: [exchange],
    effects: [],
    ...fields,
  })
  const kinds = (fields: Partial<ModelHistory>) =>
    judgeModelFaults([history(fields)], { modelMs: 100 }).map(({ kind }) => kind)

  test('a cut that failed, metered and told, is accepted', () => {
    expect(kinds({})).toEqual([])
  })

  test.each<[string, Partial<ModelHistory>, string]>([
    [
      'recorded as completed',
      { row: row({ status: 'completed' }), heard: heard({ told: null, brokenBy: 'x' }) },
      'status',
    ],
    ['told otherwise than stored', { row: row({ inputTokens: 3 }) }, 'untrue'],
    ['without `done`', { heard: heard({ told: null }) }, 'unanswered'],
    ['with more behind `done`', { heard: heard({ hasMore: true }) }, 'unanswered'],
    ['whose call was made', { effects: [effect] }, 'effects'],
    ['metered too much', { row: row({ outputTokens: 1 }) }, 'tokens'],
    ['asked again', { exchanges: [exchange, { ...exchange, index: 1 }] }, 'asked'],
    ['that outlasted the time', { heardAt: 6_101 }, 'late'],
    ['whose connection stays open', { exchanges: [{ ...exchange, closedAt: null }] }, 'open'],
  ])('one %s is refused', (_, fields, kind) => {
    expect(kinds(fields)).toContain(kind)
  })
})

describe('callers who leave', () => {
  const turns = [speakTurn({ text: ['One ', 'two.'] }, { inputTokens: 9, outputTokens: 4 })]
  const cancelled = row({ finishReason: 'cancelled', inputTokens: 9, outputTokens: 1 })
  const departure = (fields: Partial<Departure> = {}): Departure => ({
    tag: 't1',
    door: 'stream',
    leftAt: 2_000,
    row: cancelled,
    calls: [],
    effects: [],
    heard: heard({ told: null, brokenBy: 'aborted' }),
    exchanges: [{ ...exchange, sentAt: [1_100, 1_200], closedAt: 2_100, wasLeft: true }],
    ...fields,
  })
  const kinds = (fields: Partial<Departure>) => judgeDepartures([departure(fields)], { turns }).map(({ kind }) => kind)

  test('a model call that ends at once, a cancelled row and its tokens are accepted', () => {
    expect(kinds({})).toEqual([])
    expect(kinds({ row: undefined, exchanges: [] })).toEqual([])
  })

  describe('those who stayed', () => {
    const whole = [{ ...exchange, sentAt: [1_100, 1_200, 1_300, 1_400, 1_500, 1_600, 1_700], closedAt: 1_800 }]
    const completed = row({ status: 'completed', finishReason: 'stop', inputTokens: 9, outputTokens: 4 })
    const told = { executionId: 'exec_1', status: 'completed', finishReason: 'stop', inputTokens: 9, outputTokens: 4 }
    const stayed = {
      leftAt: null,
      row: completed,
      exchanges: whole,
      heard: heard({ told: { ...told, status: 'completed' } }),
    }

    test('and heard what is stored are accepted', () => {
      expect(kinds(stayed)).toEqual([])
      expect(kinds({ ...stayed, door: 'broker', exchanges: [], heard: heard({ told: null, text: '{}' }) })).toEqual([])
    })

    test.each<[string, Partial<Departure>]>([
      ['whom the server cut off', { heard: heard({ told: null, brokenBy: 'other side closed' }) }],
      ['who were not told', { heard: heard({ told: null }) }],
      ['who were told otherwise than is stored', { row: { ...completed, status: 'failed', finishReason: 'stop' } }],
      ['whose execution is not stored', { row: undefined, exchanges: [] }],
      [
        'who called a capability and were refused',
        { door: 'broker', exchanges: [], heard: heard({ status: 500, told: null }) },
      ],
    ])('%s are seen', (_, fields) => {
      expect(kinds({ ...stayed, ...fields })).toEqual(['stayed'])
    })
  })

  test.each<[string, Partial<Departure>, string]>([
    ['a model call that goes on', { exchanges: [{ ...exchange, closedAt: 3_001 }] }, 'held'],
    ['a model call that never ends', { exchanges: [{ ...exchange, closedAt: null }] }, 'held'],
    ['a model call that begins later', { exchanges: [{ ...exchange, arrivedAt: 3_001, closedAt: 3_002 }] }, 'begun'],
    ['a row that still runs', { row: row({ status: 'running', finishReason: null }) }, 'row'],
    ['a row that completed', { row: row({ status: 'completed', finishReason: 'stop' }) }, 'row'],
    ['an effect of nobody', { row: undefined, effects: [effect] }, 'lost'],
    [
      'an answer that is not recorded',
      { effects: [effect], calls: [{ ...effect, status: 'failed', error: 'x' }] },
      'calls',
    ],
    ['a call left open', { calls: [{ ...effect, status: 'dispatched', error: null }] }, 'calls'],
    [
      'a call made twice',
      { effects: [effect, effect], calls: [{ ...effect, status: 'completed', error: null }] },
      'calls',
    ],
    ['tokens that nobody pays', { row: { ...cancelled, inputTokens: 0 } }, 'tokens'],
  ])('%s is refused', (_, fields, kind) => {
    expect(kinds(fields)).toContain(kind)
  })
})

describe('disks', () => {
  const answer = (fields: Partial<DiskAnswer> = {}): DiskAnswer => ({
    phase: 'before',
    status: 200,
    text: '',
    executionId: 'exec_1',
    isCompleted: true,
    ...fields,
  })
  const completed = row({ status: 'completed' })
  const refused = answer({
    phase: 'failing',
    status: 500,
    executionId: null,
    isCompleted: false,
    text: '{"error":{"code":"internal_error","message":"Something went wrong."}}',
  })
  const calls = [{ ...effect, status: 'completed', error: null }]
  const judge = (answers: DiskAnswer[], rows = [completed]) => judgeDisk({ answers, rows, calls, effects: [effect] })

  test('stored answers and enveloped refusals are accepted', () => {
    const none = {
      shapeless: 0,
      lost: 0,
      contradicted: 0,
      vanished: 0,
      unwritten: 0,
      repeated: 0,
      running: 0,
      failedAfter: 0,
    }
    expect(judge([answer(), refused])).toMatchObject({ ...none, brokenOff: 0, refusedWhileFailing: 1 })
  })

  test('what was acknowledged and is gone, contradicted, shapeless, unwritten or repeated is refused', () => {
    expect(judge([answer()], [])).toMatchObject({ lost: 1, vanished: 0 })
    expect(judge([answer({ isCompleted: false, status: 502 })], [])).toMatchObject({ lost: 0, vanished: 1 })
    expect(judge([answer({ isCompleted: false, status: 502 })])).toMatchObject({ contradicted: 1 })
    expect(judge([{ ...refused, text: '<html>' }])).toMatchObject({ shapeless: 1 })
    expect(
      judge([{ ...refused, text: '{"error":{"code":"internal_error","message":"x"},"stack":"y"}' }]),
    ).toMatchObject({
      shapeless: 1,
    })
    expect(judge([{ ...refused, status: null }])).toMatchObject({ brokenOff: 1 })
    expect(judge([{ ...refused, phase: 'after' }])).toMatchObject({ failedAfter: 1 })
    expect(judge([], [row({ status: 'running' })])).toMatchObject({ running: 1 })
    expect(judgeDisk({ answers: [], rows: [], calls: [], effects: [effect, effect] })).toMatchObject({
      unwritten: 2,
      repeated: 1,
    })
  })
})

describe('rotation', () => {
  const arrival: Arrival = {
    generation: 0,
    signedAt: 1_000,
    executionId: 'exec_1',
    callId: 'call_1',
    isAccepted: true,
  }
  const judge = (arrivals: Arrival[], kind = 'broker') =>
    judgeRotation({
      answers: [{ isGood: true }],
      receivers: [{ arrivals, retirements: [{ generation: 0, expiresAt: 2_000 }] }],
      rows: [row({ kind })],
      calls: [{ ...effect, status: 'completed', error: null }],
    })

  test('calls under either secret within the grace are accepted', () => {
    const refused = { ...arrival, isAccepted: false }
    const none = {
      failedAnswers: 0,
      failedCalls: 0,
      repeated: 0,
      signedByNobody: 0,
      signedTooLate: 0,
      acceptedTooLate: 0,
    }
    expect(judge([refused, { ...arrival, generation: 1, signedAt: 9_000 }])).toMatchObject({ ...none, signedAnew: 1 })
  })

  test('failures, repeats, unknown secrets and old ones after their grace are refused', () => {
    const late = { ...arrival, signedAt: 2_251 }
    expect(judge([late])).toMatchObject({ signedTooLate: 1, acceptedTooLate: 1 })
    expect(judge([late], 'execute')).toMatchObject({ signedTooLate: 0, acceptedTooLate: 1 })
    expect(judge([arrival, arrival])).toMatchObject({ repeated: 1 })
    expect(judge([arrival, arrival], 'execute')).toMatchObject({ repeated: 1 })
    expect(judge([arrival, { ...arrival, callId: 'call_2' }], 'execute')).toMatchObject({ repeated: 0 })
    expect(judge([{ ...arrival, generation: -1 }])).toMatchObject({ signedByNobody: 1 })
    const failed = {
      answers: [{ isGood: false }],
      receivers: [],
      rows: [],
      calls: [{ ...effect, status: 'failed', error: 'x' }],
    }
    expect(judgeRotation(failed)).toMatchObject({ failedAnswers: 1, failedCalls: 1 })
  })
})

describe('endpoint faults', () => {
  const told = (message: string) => JSON.stringify({ executionId: 'exec_1', error: { message }, durationMs: 5 })
  const good: Round = {
    way: 'good',
    door: 'broker',
    startedAt: 0,
    endedAt: 100,
    // One slow call among good ones excuses nobody.
    calls: [10, 50, 900].map((tookMs) => ({ status: 200, text: '{"output":{"order":"A-1001"}}', tookMs })),
    hits: 3,
    residentBytes: 100,
  }
  const late = { status: 502, text: told('The endpoint did not answer in time.'), tookMs: 3_000 }
  const bad: Round = {
    ...good,
    way: 'silence',
    startedAt: 200,
    endedAt: 300,
    calls: [late],
    hits: 1,
    residentBytes: 150,
  }
  const probes: Probe[] = [
    { at: 50, tookMs: 10, isGood: true },
    { at: 150, tookMs: 4, isGood: true },
    { at: 250, tookMs: 15, isGood: true },
  ]
  const judge = (fields: Partial<Round>, seen = probes) =>
    judgeEndpointFaults([good, { ...bad, ...fields }], seen, {
      deadlineMs: 3_000,
      idle: { startedAt: 110, endedAt: 190 },
    })

  test('the promised answer in time is accepted', () => {
    const none = { misshapen: { count: 0 }, late: 0, failedGoodCalls: 0, failedProbes: 0 }
    const p99s = { idleP99Ms: 4, idleProbeCount: 1, baselineP99Ms: 10, faultP99Ms: 15 }
    expect(judge({})).toMatchObject({ ...none, ...p99s, struck: 1, memoryGrowthBytes: 50 })
  })

  test('another sentence, another status, a success and silence are refused', () => {
    for (const call of [
      { ...late, text: told('connect ECONNREFUSED 127.0.0.1:80') },
      { ...late, status: 200 },
      { ...late, status: 500, text: '{"error":{"code":"internal_error","message":"x"}}' },
      { status: 200, text: '{"output":{"order":"A-1001"}}', tookMs: 1 },
      { status: 0, text: 'other side closed', tookMs: 1 },
    ]) {
      expect(judge({ calls: [call] })).toMatchObject({ misshapen: { count: 1 } })
    }
  })

  test('an execution must have gone on with the failure as the result of its call', () => {
    const part = { type: 'tool_result', error: { message: 'The endpoint did not answer in time.' } }
    const execution = { executionId: 'exec_1', status: 'completed', messages: [{ role: 'tool', parts: [part] }] }
    const through = (body: object) =>
      judge({ door: 'execute', calls: [{ ...late, status: 200, text: JSON.stringify(body) }] })
    expect(through(execution).misshapen.count).toBe(0)
    expect(through({ ...execution, status: 'failed' }).misshapen.count).toBe(1)
    expect(through({ ...execution, messages: [] }).misshapen.count).toBe(1)
  })

  test('lateness is counted as it is, and beyond the median of good calls; failed probes are counted', () => {
    const took = (tookMs: number) => judge({ calls: [{ ...late, tookMs }] })
    expect(took(4_000)).toMatchObject({ late: 0, lateBesides: 0, slowestMs: 4_000 })
    expect(took(4_050)).toMatchObject({ late: 1, lateBesides: 0, slowestBesidesMs: 4_000 })
    expect(took(4_051)).toMatchObject({ late: 1, lateBesides: 1 })
    expect(judge({}, [{ at: 250, tookMs: 1, isGood: false }])).toMatchObject({ failedProbes: 1 })
  })
})
