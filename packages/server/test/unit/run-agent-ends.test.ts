import { describe, expect, test } from 'vitest'
import { type Model, ModelError, type ModelEvent, type ModelUsage } from '../../src/model/model.ts'
import { calls, type ScriptedTurn, scriptedModel, text } from '../support/scripted-model.ts'
import { failed, runLoop } from './agent-support.ts'

function saying(...turns: ScriptedTurn[]) {
  const model = scriptedModel()
  model.say(...turns)
  return model
}

/** A model that fails after some events. */
function failing(error: unknown, events: readonly ModelEvent[] = []): Model {
  return {
    provider: 'scripted',
    name: 'failing',
    async stream(_request, emit) {
      for (const event of events) await emit(event)
      throw error
    },
  }
}

const stepEnd = (usage: ModelUsage) => ({
  type: 'model-step-end',
  startedAt: expect.any(Number),
  durationMs: 0,
  usage,
})

describe('a model that fails', () => {
  test('ends the loop with its sentence, and what it had used is counted', async () => {
    const usage = { inputTokens: 11, outputTokens: 5 }
    const cause = new Error('401 from https://api.example.com with key sk-1')
    const { result, events, turns } = await runLoop({
      model: failing(new ModelError('The model is busy.', { usage, cause })),
    })
    expect(result).toEqual({ finishReason: 'error', error: 'The model is busy.' })
    expect(events).toEqual([stepEnd(usage)])
    expect(turns).toEqual([])
  })

  test('half-way through runs none of the calls that it had asked for', async () => {
    const half: ModelEvent[] = [
      { type: 'text', content: 'Let me' },
      { type: 'tool_call', name: 'echo', input: {} },
    ]
    const broken = await runLoop({ model: failing(new ModelError('The answer was cut off.'), half) })
    const words = { role: 'assistant', parts: [{ type: 'text', content: 'Let me' }] }
    expect([broken.dispatched, broken.turns]).toEqual([[], [words]])
  })

  test('by ending without an end is cut off: none of its calls is run, and the step is counted', async () => {
    const unended: ModelEvent[] = [{ type: 'tool_call', name: 'echo', input: {} }]
    const { result, dispatched, events } = await runLoop({ model: saying(unended) })
    expect(result).toEqual({ finishReason: 'error', error: 'The model’s answer was cut off.' })
    expect(dispatched).toEqual([])
    expect(events).toEqual([stepEnd({ inputTokens: 0, outputTokens: 0 })])
  })

  test('in a way that is our own fault is thrown and not told', async () => {
    await expect(runLoop({ model: failing(new TypeError('x is undefined')) })).rejects.toThrow('x is undefined')
  })
})

describe('a loop that is stopped', () => {
  test('while the model speaks is cancelled', async () => {
    const stop = new AbortController()
    const model = failing(new DOMException('aborted', 'AbortError'), [{ type: 'text', content: 'Hel' }])
    const { result, turns } = await runLoop({ model, signal: stop.signal, onEvent: () => stop.abort() })
    expect(result).toEqual({ finishReason: 'cancelled' })
    expect(turns).toEqual([])
  })

  test('hands the model the signal that stops it', async () => {
    const { signal } = new AbortController()
    const model = saying(text('ok'))
    await runLoop({ model, signal })
    expect(model.requests[0]?.signal).toBe(signal)
  })

  test('while an input is checked waits for that no longer, and makes no call', async () => {
    const stop = new AbortController()
    const { result, dispatched } = await runLoop({
      model: saying(calls({ name: 'slow', input: {} }, { name: 'slow', input: {} }), text('never')),
      signal: stop.signal,
      capabilities: {
        slow: () => {
          queueMicrotask(() => stop.abort())
          return new Promise(() => {})
        },
      },
    })
    expect(result).toEqual({ finishReason: 'cancelled' })
    expect(dispatched).toEqual([])
  })

  test('before its calls were made makes none of them', async () => {
    const stop = new AbortController()
    const { result, dispatched } = await runLoop({
      model: saying(calls({ name: 'echo', input: {} }), text('never')),
      signal: stop.signal,
      onEvent: ({ type }) => type === 'turn' && stop.abort(),
    })
    expect(result).toEqual({ finishReason: 'cancelled' })
    expect(dispatched).toEqual([])
  })

  // holds MSG-10
  test('while calls are under way tells of their end and does not ask the model again', async () => {
    const stop = new AbortController()
    const model = saying(calls({ name: 'echo', input: {} }), text('never'))
    const { result, events, turns } = await runLoop({
      model,
      signal: stop.signal,
      call() {
        stop.abort()
        return failed('late')
      },
    })
    expect(result).toEqual({ finishReason: 'cancelled' })
    expect(events.map(({ type }) => type)).toEqual([
      ...['model-step-end', 'turn', 'capability-start', 'capability-end', 'turn'],
    ])
    expect(turns.at(-1)).toMatchObject({ role: 'tool', parts: [{ error: { message: 'late' } }] })
    expect(model.requests).toHaveLength(1)
  })
})
