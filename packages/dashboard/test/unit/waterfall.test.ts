import { describe, expect, test } from 'vitest'
import { layOut } from '../../src/routes/executions/waterfall.ts'

const START = Date.parse('2026-03-01T12:00:00Z')
const at = (ms: number) => new Date(START + ms).toISOString()

const step = (number: number, from: number, durationMs: number) => ({
  step: number,
  startedAt: at(from),
  durationMs,
  inputTokens: 0,
  outputTokens: 0,
})

const CALL = {
  callId: 'call_1',
  capability: 'search',
  step: 1,
  status: 'completed' as const,
  input: {},
  output: {},
  error: null,
  startedAt: at(100),
  durationMs: 300,
}

const TRACE = {
  status: 'completed' as const,
  finishReason: 'stop' as const,
  modelSteps: [step(1, 0, 100), step(2, 400, 600)],
  startedAt: at(0),
  durationMs: 1_000,
  capabilityCalls: [CALL],
}

describe('the layout of an execution over time', () => {
  test('is that of the turns of the model and of the calls, in the order in which they began', () => {
    const bars = layOut(TRACE, START)
    expect(bars.map(({ label, offset, width }) => [label, offset, width])).toEqual([
      ['Model, step 1', 0, 0.1],
      ['search', 0.1, 0.3],
      ['Model, step 2', 0.4, 0.6],
    ])
  })

  test('calls at once lie beside each other, and what passed between two bars stays empty', () => {
    const other = { ...CALL, callId: 'call_2', capability: 'price', startedAt: at(120), durationMs: 480 }
    const modelSteps = [step(1, 0, 100), step(2, 700, 300)]
    const bars = layOut({ ...TRACE, modelSteps, capabilityCalls: [other, CALL] }, START)
    expect(bars.map(({ label }) => label)).toEqual(['Model, step 1', 'search', 'price', 'Model, step 2'])
    expect(bars.at(-1)).toMatchObject({ offset: 0.7, width: 0.3 })
  })

  test('what still runs reaches to now', () => {
    const running = { ...CALL, durationMs: null }
    const trace = { ...TRACE, status: 'running' as const, finishReason: null, modelSteps: [], durationMs: null }
    const bars = layOut({ ...trace, capabilityCalls: [running] }, START + 2_000)
    expect(bars.find(({ kind }) => kind === 'call')).toMatchObject({ offset: 0.05, width: 0.95, durationMs: 1_900 })
  })

  test('a single call has no model in it, and one that takes no time at all still has a place', () => {
    const bars = layOut(
      {
        ...TRACE,
        modelSteps: [],
        durationMs: 0,
        capabilityCalls: [{ ...CALL, step: 0, startedAt: at(0), durationMs: 0 }],
      },
      START,
    )
    expect(bars).toEqual([expect.objectContaining({ kind: 'call', offset: 0, width: 0 })])
  })

  test('a model that failed is marked where it failed, and so is a call', () => {
    const failed = { ...TRACE, status: 'failed' as const, finishReason: 'error' as const }
    const bars = layOut({ ...failed, capabilityCalls: [{ ...CALL, status: 'failed' }] }, START)
    expect(bars.map(({ isFailed }) => isFailed)).toEqual([false, true, true])
  })

  test('clocks that disagree put nothing outside the frame', () => {
    const early = { ...CALL, startedAt: at(-500), durationMs: 5_000 }
    for (const { offset, width } of layOut({ ...TRACE, capabilityCalls: [early] }, START)) {
      expect([offset >= 0, offset <= 1, width >= 0, width <= 1]).toEqual([true, true, true, true])
    }
  })
})
