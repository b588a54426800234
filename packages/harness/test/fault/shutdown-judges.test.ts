import { describe, expect, test } from 'vitest'
import {
  type AwayStop,
  judgeAwayStops,
  judgeStops,
  type Stop,
  type StoppedStream,
} from '../../src/fault/shutdown/judge.ts'
import { unansweredCommits } from '../../src/fault/shutdown/unanswered-commits.ts'
import { heardExecution, executionRow as row } from '../support/evidence.ts'

const heard = (fields: Partial<StoppedStream> = {}): StoppedStream => ({ tag: 't1', ...heardExecution(), ...fields })

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
    unansweredCommits: new Set(),
    ...fields,
  })
  const none = { inDoubt: 0, withoutDone: 0, untrue: 0, slowExits: 0, wrongExits: 0, running: 0 }

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

  const broken = (tag: string) => heard({ tag, told: null, brokenBy: 'x' })
  const rows = [row(), row({ executionId: 'exec_2', tag: 't2' })]
  const ofSecond = new Set(['exec_2'])

  test('a stream whose own commit was never answered may break, or end without a word', () => {
    const streams = [heard(), broken('t2')]
    expect(judgeAwayStops([stop({ streams, rows, unansweredCommits: ofSecond })])).toMatchObject({
      ...none,
      inDoubt: 1,
    })
    const silent = heard({ tag: 't2', told: null })
    expect(judgeAwayStops([stop({ streams: [silent], rows, unansweredCommits: ofSecond })])).toMatchObject({
      ...none,
      inDoubt: 1,
    })
  })

  test.each<[string, Partial<AwayStop>]>([
    ['whose commit nothing is said of', { streams: [broken('t1')], rows }],
    ['of another one’s commit', { streams: [broken('t1')], rows, unansweredCommits: ofSecond }],
    [
      'beside one that was told, though its commit was never answered',
      { streams: [broken('t1'), heard({ tag: 't2' })], rows, unansweredCommits: ofSecond },
    ],
    ['of which nothing is stored', { streams: [broken('t2')], rows: [row()], unansweredCommits: ofSecond }],
    [
      'that went on after `done`',
      { streams: [heard({ tag: 't2', hasMore: true })], rows, unansweredCommits: ofSecond },
    ],
    ['that broke after `done`', { streams: [heard({ tag: 't2', brokenBy: 'x' })], rows, unansweredCommits: ofSecond }],
  ])('no other stream may: one %s', (_, fields) => {
    expect(judgeAwayStops([stop(fields)])).toMatchObject({ inDoubt: 0, withoutDone: 1 })
  })

  test('a commit that was never answered in one stop excuses nothing in another', () => {
    const stops = [stop({ streams: [broken('t2')], rows }), stop({ rows, unansweredCommits: ofSecond })]
    expect(judgeAwayStops(stops)).toMatchObject({ inDoubt: 0, withoutDone: 1 })
  })

  test('the log names the executions whose commit was never answered', () => {
    const line = (fields: object) =>
      JSON.stringify({
        level: 50,
        time: 1,
        err: { type: 'CommitUnknownError', message: 'the answer to a commit was lost', stack: 'x' },
        executionId: 'exec_1',
        msg: 'an outcome could not be written',
        ...fields,
      })
    const log = [
      line({}),
      line({ executionId: 'exec_2', err: { type: 'Error', message: 'x', stack: 'CommitUnknownError' } }),
      line({ executionId: 'exec_3', msg: 'an outcome that the database refuses was given up' }),
      line({ executionId: undefined }),
      'an outcome could not be written: CommitUnknownError',
      line({ executionId: 'exec_4' }),
      '',
    ].join('\n')
    expect([...unansweredCommits(log)]).toEqual(['exec_1', 'exec_4'])
    expect(unansweredCommits('').size).toBe(0)
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
