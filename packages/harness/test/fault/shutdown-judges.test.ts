import { describe, expect, test } from 'vitest'
import type { ExecutionRow } from '../../src/fault/rows.ts'
import { type AwayStop, judgeAwayStops, judgeStops, type Stop } from '../../src/fault/shutdown/judge.ts'
import type { HeardExecution } from '../../src/fault/streams.ts'

const row = (fields: Partial<ExecutionRow> = {}): ExecutionRow => ({
  executionId: 'exec_1',
  kind: 'execute',
  status: 'failed',
  finishReason: 'error',
  inputTokens: 0,
  outputTokens: 0,
  tag: 't1',
  ...fields,
})

const heard = (fields: Partial<HeardExecution> = {}): HeardExecution => ({
  status: 200,
  eventCount: 0,
  told: { executionId: 'exec_1', status: 'failed', finishReason: 'error', inputTokens: 0, outputTokens: 0 },
  hasMore: false,
  text: '',
  brokenBy: null,
  ...fields,
})

describe('shutdown', () => {
  const stop = (fields: Partial<Stop> = {}): Stop => ({
    isImpatient: false,
    exitMs: 900,
    end: { code: 0, signal: null },
    streams: [heard()],
    rows: [row()],
    stillRunning: 0,
    ...fields,
  })

  test('an orderly stop is accepted, and so is one that a second signal cut short', () => {
    const cutShort = stop({
      isImpatient: true,
      end: { code: 1, signal: null },
      streams: [heard({ told: null, brokenBy: 'x' })],
    })
    const none = { withoutDone: 0, untrue: 0, slowExits: 0, wrongExits: 0, running: 0 }
    expect(judgeStops([stop(), cutShort])).toMatchObject({ begun: 1, ...none })
  })

  test.each<[string, Partial<Stop>, object]>([
    ['a stream without `done`', { streams: [heard({ told: null })] }, { withoutDone: 1 }],
    ['a stream that goes on after it', { streams: [heard({ hasMore: true })] }, { withoutDone: 1 }],
    ['an answer that is not what is stored', { rows: [row({ status: 'running' })] }, { untrue: 1 }],
    ['a late end', { exitMs: 30_001 }, { slowExits: 1 }],
    [
      'a late end after a second signal',
      { isImpatient: true, exitMs: 1_001, end: { code: 1, signal: null } },
      { slowExits: 1 },
    ],
    ['a kill', { end: { code: null, signal: 'SIGKILL' } }, { wrongExits: 1 }],
    ['a row left running', { stillRunning: 1 }, { running: 1 }],
  ])('%s is refused', (_, fields, found) => {
    expect(judgeStops([stop(fields)])).toMatchObject(found)
  })
})

describe('shutdown while the database is away', () => {
  const UNRECORDED = { message: 'The outcome of the execution could not be recorded.' }
  const stop = (fields: Partial<AwayStop> = {}): AwayStop => ({
    exitMs: 29_600,
    end: { code: 1, signal: null },
    streams: [heard()],
    rows: [row()],
    stillRunning: 0,
    unansweredCommits: 0,
    ...fields,
  })
  const none = { withoutDone: 0, untrue: 0, slowExits: 0, wrongExits: 0, running: 0 }

  test('a stop that told everybody what is stored in the end is accepted', () => {
    expect(judgeAwayStops([stop(), stop({ end: { code: 0, signal: null } })])).toEqual({
      begun: 2,
      unrecorded: 0,
      ...none,
    })
    const [stream] = [heard()]
    const told = stream.told && ({ ...stream.told, status: 'failed', error: UNRECORDED } as const)
    const unrecorded = stop({ streams: [{ ...stream, told }], rows: [row({ status: 'failed' })] })
    expect(judgeAwayStops([unrecorded])).toEqual({ begun: 1, unrecorded: 1, ...none })
  })

  test('a stream breaks only for a commit that was never answered', () => {
    const broken = heard({ told: null, brokenBy: 'x' })
    expect(judgeAwayStops([stop({ streams: [broken] })])).toMatchObject({ withoutDone: 1 })
    expect(judgeAwayStops([stop({ streams: [broken], unansweredCommits: 1 })])).toMatchObject(none)
    const others = [stop({ streams: [broken, broken], unansweredCommits: 1 }), stop({ unansweredCommits: 1 })]
    expect(judgeAwayStops(others)).toMatchObject({ withoutDone: 1 })
  })

  test.each<[string, Partial<AwayStop>, object]>([
    ['an answer that is not what is stored', { rows: [row({ status: 'running' })] }, { untrue: 1 }],
    ['an answer of which nothing is stored', { rows: [] }, { untrue: 1 }],
    ['a late end', { exitMs: 30_001 }, { slowExits: 1 }],
    ['a kill', { end: { code: null, signal: 'SIGKILL' } }, { wrongExits: 1 }],
    ['a fault', { end: { code: 134, signal: null } }, { wrongExits: 1 }],
    ['a row left running', { stillRunning: 1 }, { running: 1 }],
  ])('%s is refused', (_, fields, found) => {
    expect(judgeAwayStops([stop(fields)])).toMatchObject(found)
  })
})
