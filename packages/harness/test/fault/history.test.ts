import { expect, test } from 'vitest'
import { createHistory, toldBy } from '../../src/fault/history.ts'
import { drawPlan, planWords, readPlanWords } from '../../src/fault/plan.ts'
import type { Heard } from '../../src/support/client.ts'
import { createRandom } from '../../src/support/random.ts'

const RESULT = {
  executionId: 'exec_1',
  status: 'completed',
  messages: [],
  finishReason: 'stop',
  inputTokens: 11,
  outputTokens: 7,
  totalTokens: 18,
  durationMs: 5,
}

function answer(status: number, body: unknown): Heard {
  return { kind: 'answer', status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body) }
}

const DONE = `event: text\ndata: {"type":"text"}\n\nevent: done\ndata: ${JSON.stringify({ type: 'done', ...RESULT })}\n\n`

test('a result binds, whether it comes in one body or as the last event of a stream', () => {
  const completed = { as: 'completed', executionId: 'exec_1', tokens: 18 }
  expect(toldBy('execute', answer(200, RESULT))).toEqual(completed)
  expect(toldBy('stream', answer(200, DONE))).toEqual(completed)
  expect(toldBy('stream', { kind: 'broken', reason: 'reset', partial: DONE })).toEqual(completed)
  const failed = { ...RESULT, status: 'failed', finishReason: 'error', error: { message: 'Cut.' } }
  expect(toldBy('execute', answer(200, failed))).toEqual({ as: 'failed', executionId: 'exec_1', reason: 'Cut.' })
})

test('a broker’s answer binds, and so does its failure', () => {
  const output = { executionId: 'exec_1', output: { op: 1 }, durationMs: 1 }
  expect(toldBy('broker', answer(200, output))).toMatchObject({ as: 'completed', executionId: 'exec_1' })
  const failure = { executionId: 'exec_1', error: { message: 'Broke off.' }, durationMs: 1 }
  expect(toldBy('broker', answer(502, failure))).toMatchObject({ as: 'failed', reason: 'Broke off.' })
})

test('a stream without its end, half a “done” and a fault of the service bind to nothing', () => {
  expect(toldBy('stream', answer(200, 'event: text\ndata: {}\n\n')).as).toBe('unknown')
  const half: Heard = { kind: 'broken', reason: 'reset', partial: DONE.slice(0, -3) }
  expect(toldBy('stream', half).as).toBe('unknown')
  expect(toldBy('execute', { kind: 'broken', reason: 'reset', partial: '' }).as).toBe('unknown')
  expect(toldBy('execute', answer(500, { error: { code: 'internal_error', message: 'Sorry.' } })).as).toBe('unknown')
})

test('a refusal is one, with its status', () => {
  const told = toldBy('execute', answer(429, { error: { code: 'rate_limit_exceeded', message: 'Later.' } }))
  expect(told).toEqual({ as: 'refused', status: 429, reason: 'Later.' })
})

test('a history counts who waits, and keeps what was heard with both its times', () => {
  let now = 10
  const history = createHistory(() => now)
  const plan = drawPlan(createRandom(1), 0, 4)
  const hear = history.invoke(plan, 'node_1')
  expect([history.underWay.size, history.operations.length]).toEqual([1, 0])
  now = 25
  hear({ as: 'unknown', reason: 'reset' })
  expect(history.underWay.size).toBe(0)
  expect(history.operations).toEqual([
    { plan, nodeId: 'node_1', invokedAt: 10, endedAt: 25, told: { as: 'unknown', reason: 'reset' } },
  ])
})

test('a plan is drawn the same from the same seed, and survives its way through words in JSON', () => {
  const random = createRandom(7)
  const plans = Array.from({ length: 200 }, (_, op) => drawPlan(random, op, 4))
  const again = createRandom(7)
  expect(plans).toEqual(Array.from({ length: 200 }, (_, op) => drawPlan(again, op, 4)))
  for (const plan of plans) {
    const body = JSON.stringify({ messages: [{ content: planWords(plan) }] })
    expect(plan).toMatchObject(readPlanWords(body) ?? { op: Number.NaN })
  }
  expect(readPlanWords('{"messages":[]}')).toBeNull()
})
