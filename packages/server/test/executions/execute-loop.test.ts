import { expect, test } from 'vitest'
import { ModelError } from '../../src/model/model.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { executed, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability } from '../support/service.ts'
import { storedCalls } from '../support/stored-calls.ts'

// The loop is the same over any store; execute.test.ts holds what it stores on both engines.
describeEngine('sqlite', 'the loop of an execute', (engine) => {
  const database = useDatabase(engine)

  // holds LOOP-01, LOOP-09, SVC-06
  test('a capability’s output goes back to the model under the id that the endpoint, the transcript and the trace share', async () => {
    const { service, endpoint, execute, trace, usage } = await setScene(database())
    service.model.say(calls({ name: 'echo', input: { text: 'a' } }), text('done'))
    const body = executed(await execute())
    const callId = endpoint.effects[0]?.callId ?? ''
    const called = { role: 'assistant', parts: [{ type: 'tool_call', id: callId, name: 'echo', input: { text: 'a' } }] }
    const result = {
      role: 'tool',
      parts: [{ type: 'tool_result', toolCallId: callId, name: 'echo', output: { text: 'a' } }],
    }
    expect(callId).toMatch(/^call_/)
    expect(body.messages).toEqual([called, result, { role: 'assistant', parts: [{ type: 'text', content: 'done' }] }])
    expect(service.model.requests[1]?.messages.slice(1)).toEqual([called, result])
    expect((await trace(body.executionId)).capabilityCalls).toMatchObject([
      {
        callId,
        capability: 'echo',
        step: 1,
        status: 'completed',
        input: { text: 'a' },
        output: { text: 'a' },
        error: null,
      },
    ])
    expect(body).toMatchObject({ inputTokens: 14, outputTokens: 6, totalTokens: 20 })
    expect(await usage()).toMatchObject({ capability_calls: 1, input_tokens: 14, output_tokens: 6 })
  })

  // holds LOOP-04
  test('of twelve calls in one step, five run at once and never more', async () => {
    const gate = createGate()
    const { service, endpoint, owner, execute } = await setScene(database(), {
      handle: {
        echo: async (call) => {
          await gate.enter()
          return { output: call.input }
        },
      },
    })
    const requested = Array.from({ length: 12 }, (_, index) => ({ name: 'echo', input: { text: String(index) } }))
    service.model.say(calls(...requested), text('done'))
    const answer = execute()
    await gate.arrived(5)
    const written = await storedCalls(database())
    expect(written.filter(({ ownerId, status }) => ownerId === owner.ownerId && status === 'dispatched')).toHaveLength(
      5,
    )
    for (let next = 6; next <= 12; next += 1) {
      gate.letOne()
      await gate.arrived(next)
    }
    gate.open()
    const body = executed(await answer)
    expect(gate.mostAtOnce).toBe(5)
    expect(endpoint.effects).toHaveLength(12)
    const [, results] = body.messages
    expect(results?.parts.map((part) => ('output' in part ? part.output : null))).toEqual(
      requested.map(({ input }) => input),
    )
  })

  test('a call that ends frees its place at once, while others run', async () => {
    const gate = createGate()
    const { service, endpoint, execute } = await setScene(database(), {
      manifest: { capabilities: [capability('slow'), capability('quick')] },
      handle: {
        slow: async () => {
          await gate.enter()
          return { output: 'slow' }
        },
        quick: () => {
          if (endpoint.effects.filter((call) => call.capability === 'quick').length === 8) gate.open()
          return { output: 'quick' }
        },
      },
    })
    const slow = Array.from({ length: 4 }, () => ({ name: 'slow', input: {} }))
    const quick = Array.from({ length: 8 }, () => ({ name: 'quick', input: {} }))
    service.model.say(calls(...slow, ...quick), text('done'))
    expect(executed(await execute()).status).toBe('completed')
  })

  // holds EXE-07, LOOP-02, LOOP-03
  test('25 steps are 25 model calls, the calls of the last one are made, and the answer says that it was cut', async () => {
    const { service, endpoint, execute, trace } = await setScene(database())
    service.model.say(calls({ name: 'echo', input: {} }))
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'completed', finishReason: 'length', totalTokens: 250 })
    expect(service.model.requests).toHaveLength(25)
    expect(endpoint.effects).toHaveLength(25)
    expect(body.messages.at(-1)?.role).toBe('tool')
    const { steps, capabilityCalls, messageShape } = await trace(body.executionId)
    expect({ steps, calls: capabilityCalls.length, turns: messageShape.length }).toEqual({
      steps: 25,
      calls: 25,
      turns: 51,
    })
    expect(capabilityCalls.map(({ step }) => step)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
  })

  // holds LOOP-07, LOOP-08
  test('an unknown name and an input that does not fit are answered without a dispatch, and are no calls', async () => {
    const { service, endpoint, execute, trace, usage } = await setScene(database())
    service.model.say(
      calls(
        { name: 'nothing-like-it', input: { text: 'x' } },
        { name: 'echo', input: { text: 7 } },
        { name: 'echo', input: 'text' },
        { name: 'echo', input: undefined },
        { name: 'echo', input: { text: 'fits' } },
        { name: 'ECHO', input: {} },
      ),
      text('done'),
    )
    const body = executed(await execute())
    const [asked, answered] = body.messages
    const messageOf = (part: object) => ('error' in part ? part.error : null)
    expect(answered?.parts.map(messageOf)).toEqual([
      { message: expect.stringContaining('nothing-like-it') },
      { message: expect.stringContaining('input.text') },
      { message: expect.stringContaining('object') },
      { message: expect.stringContaining('object') },
      null,
      { message: expect.stringContaining('ECHO') },
    ])
    expect(asked?.parts.map((part) => ('input' in part ? part.input : null))).toEqual([
      { text: 'x' },
      { text: 7 },
      {},
      {},
      { text: 'fits' },
      {},
    ])
    expect(service.model.requests[1]?.messages.at(-1)).toEqual(answered)
    expect(endpoint.effects.map(({ input }) => input)).toEqual([{ text: 'fits' }])
    expect((await trace(body.executionId)).capabilityCalls).toHaveLength(1)
    expect(await usage()).toMatchObject({ capability_calls: 1 })
  })

  // holds LOOP-06
  test('a capability’s failure goes back to the model, and the loop goes on', async () => {
    const { service, execute, trace } = await setScene(database(), {
      handle: { echo: () => ({ error: { message: 'Out of stock.' } }) },
    })
    service.model.say(calls({ name: 'echo', input: {} }), text('Sorry.'))
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'completed', finishReason: 'stop' })
    expect(service.model.requests[1]?.messages.at(-1)).toMatchObject({
      parts: [{ type: 'tool_result', output: null, error: { message: 'Out of stock.' } }],
    })
    expect((await trace(body.executionId)).capabilityCalls).toMatchObject([
      { status: 'failed', output: null, error: { message: 'Out of stock.' } },
    ])
  })

  test('an endpoint that misbehaves is a failed call, not a failed execution', async () => {
    const { service, execute } = await setScene(database(), { handle: { echo: () => ({ fault: 'html' }) } })
    service.model.say(calls({ name: 'echo', input: {} }), text('Sorry.'))
    expect(executed(await execute())).toMatchObject({
      status: 'completed',
      messages: [{}, { parts: [{ error: { message: expect.any(String) } }] }, {}],
    })
  })

  // holds ERR-08, EXE-04, EXE-05
  test('a model’s failure is HTTP 200 with the reason, and what it had used is metered', async () => {
    const { service, execute, trace, usage } = await setScene(database())
    service.model.say(calls({ name: 'echo', input: {} }), () => {
      throw new ModelError('The model is not available.', { usage: { inputTokens: 5, outputTokens: 2 } })
    })
    const body = executed(await execute())
    expect(body).toMatchObject({
      status: 'failed',
      finishReason: 'error',
      error: { message: 'The model is not available.' },
      totalTokens: 17,
    })
    expect(body.messages).toHaveLength(2)
    expect(await trace(body.executionId)).toMatchObject({
      status: 'failed',
      error: { message: 'The model is not available.' },
      totalTokens: 17,
      capabilityCalls: [{ status: 'completed' }],
    })
    expect(await usage()).toMatchObject({ executions: 1, completed: 0, failed: 1, input_tokens: 12, output_tokens: 5 })
  })

  test('a model stream that stops without its end is a failure: its text is kept, its calls are not made', async () => {
    const { service, endpoint, execute, trace } = await setScene(database())
    service.model.say([
      { type: 'text', content: 'Let me' },
      { type: 'tool_call', name: 'echo', input: {} },
    ])
    const body = executed(await execute())
    const messages = [{ role: 'assistant', parts: [{ type: 'text', content: 'Let me' }] }]
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error', messages })
    expect(endpoint.effects).toHaveLength(0)
    expect((await trace(body.executionId)).capabilityCalls).toEqual([])
  })

  // holds EXE-05
  test('an internal fault is reported in general words', async () => {
    const { service, execute } = await setScene(database())
    service.model.say(() => {
      throw new TypeError('secret_table is undefined at /srv/app.js')
    })
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error' })
    expect(body.error?.message).not.toMatch(/secret_table|app\.js/)
  })

  test('a model that reached its own length limit completes with “length”', async () => {
    const { service, execute } = await setScene(database())
    const usage = { inputTokens: 1, outputTokens: 1 }
    service.model.say([
      { type: 'text', content: 'And so' },
      { type: 'end', reason: 'length', usage },
    ])
    expect(executed(await execute())).toMatchObject({ status: 'completed', finishReason: 'length' })
  })
})
