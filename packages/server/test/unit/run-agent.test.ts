import { Transcript } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../../src/model/model.ts'
import { calls, type ScriptedTurn, scriptedModel, text } from '../support/scripted-model.ts'
import { failed, runLoop, succeeded, user } from './agent-support.ts'

function saying(...turns: ScriptedTurn[]) {
  const model = scriptedModel()
  model.say(...turns)
  return model
}

describe('the loop', () => {
  test('ends with what the model says once it asks for nothing', async () => {
    const model = saying(text('Hi there.'))
    const { result, turns, dispatched } = await runLoop({ model })
    expect(result).toEqual({ finishReason: 'stop' })
    expect(turns).toEqual([{ role: 'assistant', parts: [{ type: 'text', content: 'Hi there.' }] }])
    expect(dispatched).toEqual([])
    expect(model.requests).toHaveLength(1)
  })

  // holds LOOP-01
  test('gives the model what its calls came to, and goes on', async () => {
    const model = saying(calls({ name: 'echo', input: { text: 'a' } }), text('It said a.'))
    const { result, turns, dispatched } = await runLoop({ model, messages: [user('Say a')], instructions: 'Be brief.' })
    const [id] = dispatched.map(({ callId }) => callId)
    expect(result).toEqual({ finishReason: 'stop' })
    expect(turns).toEqual([
      { role: 'assistant', parts: [{ type: 'tool_call', id, name: 'echo', input: { text: 'a' } }] },
      { role: 'tool', parts: [{ type: 'tool_result', toolCallId: id, name: 'echo', output: { text: 'a' } }] },
      { role: 'assistant', parts: [{ type: 'text', content: 'It said a.' }] },
    ])
    expect(model.requests.map(({ messages }) => messages)).toEqual([
      [user('Say a')],
      [user('Say a'), ...turns.slice(0, 2)],
    ])
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(['Be brief.', 'Be brief.'])
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(['echo'])
  })

  test('text that comes with calls stands before them in one turn', async () => {
    const model = saying(
      [{ type: 'text', content: 'Let me ' }, { type: 'text', content: 'look.' }, ...calls({ name: 'echo', input: {} })],
      text('ok'),
    )
    const { turns, events } = await runLoop({ model })
    expect(turns[0]?.parts.map(({ type }) => type)).toEqual(['text', 'tool_call'])
    expect(turns[0]?.parts[0]).toEqual({ type: 'text', content: 'Let me look.' })
    expect(events.slice(0, 2)).toEqual([
      { type: 'text', content: 'Let me ' },
      { type: 'text', content: 'look.' },
    ])
  })

  test('a model that says nothing gives a turn of empty text', async () => {
    const { result, turns } = await runLoop({ model: saying(calls()) })
    expect(result).toEqual({ finishReason: 'stop' })
    expect(turns).toEqual([{ role: 'assistant', parts: [{ type: 'text', content: '' }] }])
  })

  test('a capability that fails is the model’s to deal with', async () => {
    const model = saying(calls({ name: 'echo', input: {} }), text('Sorry, sold out.'))
    const { result, turns } = await runLoop({ model, call: () => failed('sold out') })
    expect(result).toEqual({ finishReason: 'stop' })
    expect(turns[1]?.parts).toEqual([expect.objectContaining({ output: null, error: { message: 'sold out' } })])
  })

  test('does not touch the conversation that it was given', async () => {
    const messages = Object.freeze([user('Hello')])
    await runLoop({ model: saying(calls({ name: 'echo', input: {} }), text('ok')), messages })
    expect(messages).toEqual([user('Hello')])
  })
})

describe('the step budget', () => {
  // holds LOOP-02
  test('is so many model calls, and the calls of the last one are still made', async () => {
    const model = saying(calls({ name: 'echo', input: {} }))
    const { result, dispatched, turns } = await runLoop({ model, limits: { steps: 25 } })
    expect(result).toEqual({ finishReason: 'length' })
    expect(model.requests).toHaveLength(25)
    expect(dispatched.map(({ step }) => step)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
    expect(dispatched.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 25 }, (_, index) => index))
    expect(turns.at(-1)?.role).toBe('tool')
  })

  test('of one step is one answer', async () => {
    expect((await runLoop({ model: saying(text('done')), limits: { steps: 1 } })).result).toEqual({
      finishReason: 'stop',
    })
  })

  test('an answer that the provider cut at its own limit ends the loop as cut', async () => {
    const cut: ModelEvent[] = [
      { type: 'text', content: 'Once upon' },
      { type: 'end', reason: 'length', usage: { inputTokens: 1, outputTokens: 1 } },
    ]
    expect((await runLoop({ model: saying(cut) })).result).toEqual({ finishReason: 'length' })
  })
})

describe('a call that cannot be made is answered without a dispatch', () => {
  const capabilities = {
    echo: () => null,
    strict: () => ({ 'input.size': ['is required.'], 'input.colour': ['must be string.'] }),
  }

  test.each([
    ['unknown', {}, 'There is no capability named “unknown”.'],
    ['constructor', {}, 'There is no capability named “constructor”.'],
    ['__proto__', {}, 'There is no capability named “__proto__”.'],
    ['echo', undefined, 'The input must be a JSON object.'],
    ['echo', null, 'The input must be a JSON object.'],
    ['echo', [], 'The input must be a JSON object.'],
    ['echo', 'text', 'The input must be a JSON object.'],
    ['strict', { a: 1 }, 'The input does not fit the schema. input.size is required. input.colour must be string.'],
  ])('%s with %j', async (name, input, message) => {
    const model = saying(calls({ name, input }), text('ok'))
    const { result, turns, dispatched, events } = await runLoop({ model, capabilities })
    expect(dispatched).toEqual([])
    expect(events.map(({ type }) => type)).not.toContain('capability-start')
    expect(turns[1]?.parts).toEqual([
      expect.objectContaining({ type: 'tool_result', name, output: null, error: { message } }),
    ])
    expect(result).toEqual({ finishReason: 'stop' })
    expect(Transcript.safeParse([user('Hello'), ...turns]).success).toBe(true)
  })

  test('the event loop has its turn between the checks of one step', async () => {
    const order: string[] = []
    const slow = () => {
      order.push('check')
      setImmediate(() => order.push('turn'))
      return null
    }
    const asked = calls({ name: 'slow', input: {} }, { name: 'slow', input: {} }, { name: 'slow', input: {} })
    const { dispatched } = await runLoop({ model: saying(asked, text('ok')), capabilities: { slow } })
    expect(dispatched).toHaveLength(3)
    expect(order.slice(0, 5)).toEqual(['check', 'turn', 'check', 'turn', 'check'])
  })

  test('inputs of calls that are one too many are not checked', async () => {
    const checked: unknown[] = []
    const echo = (input: object) => {
      checked.push(input)
      return Object.hasOwn(input, 'bad') ? { input: ['no.'] } : null
    }
    const asked = calls(
      { name: 'echo', input: { bad: 1 } },
      { name: 'echo', input: { n: 1 } },
      { name: 'echo', input: { n: 2 } },
      { name: 'echo', input: { n: 3 } },
      { name: 'nope', input: {} },
    )
    const { turns, dispatched } = await runLoop({
      model: saying(asked, text('ok')),
      capabilities: { echo },
      limits: { calls: 2 },
    })
    expect(checked).toEqual([{ bad: 1 }, { n: 1 }, { n: 2 }])
    expect(dispatched.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }])
    const results = turns[1]?.role === 'tool' ? turns[1].parts : []
    expect(results.map(({ error }) => error?.message.slice(0, 21))).toEqual([
      'The input does not fi',
      undefined,
      undefined,
      'The call was not made',
      'There is no capabilit',
    ])
  })

  test('the transcript keeps what the model asked for', async () => {
    const { turns } = await runLoop({
      model: saying(calls({ name: 'strict', input: { a: 1 } }), text('ok')),
      capabilities,
    })
    expect(turns[0]?.parts).toEqual([expect.objectContaining({ name: 'strict', input: { a: 1 } })])
  })

  test('the good calls of the same step are made, and every answer stands in its place', async () => {
    const asked = calls(
      { name: 'nope', input: {} },
      { name: 'echo', input: { n: 1 } },
      { name: 'strict', input: {} },
      { name: 'echo', input: { n: 2 } },
    )
    const { turns, dispatched } = await runLoop({ model: saying(asked, text('ok')), capabilities })
    expect(dispatched.map(({ ordinal, input }) => [ordinal, input])).toEqual([
      [0, { n: 1 }],
      [1, { n: 2 }],
    ])
    const results = turns[1]?.role === 'tool' ? turns[1].parts : []
    expect(results.map(({ output }) => output)).toEqual([null, { n: 1 }, null, { n: 2 }])
  })

  test('a name beyond measure stays within what a transcript takes', async () => {
    for (const name of ['', 'x'.repeat(100_000)]) {
      const { turns } = await runLoop({ model: saying(calls({ name, input: {} }), text('ok')) })
      expect(Transcript.safeParse([user('Hello'), ...turns]).success).toBe(true)
      expect(JSON.stringify(turns).length).toBeLessThan(2000)
    }
  })
})

test('whatever a model asks for, the loop ends and leaves a conversation that may go on', async () => {
  const asked = fc.record({
    name: fc.oneof(fc.constantFrom('echo', 'strict', 'toString'), fc.string()),
    input: fc.jsonValue(),
  })
  const turn = fc.oneof(
    fc.string().map(text),
    fc.array(asked, { maxLength: 7 }).map((requests) => calls(...requests)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), fc.boolean(), async (turns, fails) => {
      const model = saying(...turns)
      const ran = await runLoop({
        model,
        limits: { steps: 6 },
        capabilities: { echo: () => null, strict: () => ({ input: ['no.'] }) },
        call: ({ input }) => (fails ? failed('no') : succeeded(input)),
      })
      expect(['stop', 'length']).toContain(ran.result.finishReason)
      expect(model.requests.length).toBeLessThanOrEqual(6)
      const steps = ran.events.filter(({ type }) => type === 'model-step-end')
      expect(steps).toHaveLength(model.requests.length)
      expect(new Set(ran.dispatched.map(({ callId }) => callId)).size).toBe(ran.dispatched.length)
      const parsed = Transcript.safeParse([user('Hello'), ...ran.turns])
      expect(parsed.error?.issues ?? []).toEqual([])
    }),
    { numRuns: 300, seed: 1 },
  )
})
