import { expect, test } from 'vitest'
import type { ModelEvent } from '../../src/model/model.ts'
import { fieldsAtFault } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { dumpTables, executed, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

describeEngines('execute', (engine) => {
  const database = useDatabase(engine)

  // holds EXE-01, EXE-03, EXE-06, EXE-13, STR-02, SVC-07
  test('an answer holds the turns that the execution added, its usage, and nothing that the interface does not name', async () => {
    const { service, execute, trace, usage } = await setScene(database())
    service.model.say(text('Hello there.'))
    const answer = await execute(saying('Hi'))
    const body = executed(answer)
    expect(answer.headers['content-type']).toContain('application/json')
    expect(answer.json()).toEqual({
      executionId: expect.stringMatching(/^exec_[0-9A-Z]{26}$/),
      status: 'completed',
      messages: [{ role: 'assistant', parts: [{ type: 'text', content: 'Hello there.' }] }],
      finishReason: 'stop',
      inputTokens: 7,
      outputTokens: 3,
      totalTokens: 10,
      durationMs: 0,
    })
    expect(await trace(body.executionId)).toMatchObject({
      kind: 'execute',
      status: 'completed',
      steps: 1,
      totalTokens: 10,
    })
    expect(await usage()).toMatchObject({ executions: 1, completed: 1, failed: 0, input_tokens: 7, output_tokens: 3 })
  })

  // holds EXE-03
  test('the answer says how long the execution took', async () => {
    const { service, endpoint, execute } = await setScene(database())
    endpoint.script('echo', () => {
      service.clock.advance(1_234)
      return { output: null }
    })
    service.model.say(calls({ name: 'echo', input: {} }), text('done'))
    expect(executed(await execute()).durationMs).toBe(1_234)
  })

  test('its trace holds the start and the duration of each model call, beside the capability calls', async () => {
    const { service, endpoint, execute, trace } = await setScene(database())
    const begun = service.clock.now()
    endpoint.script('echo', () => {
      service.clock.advance(40)
      return { output: null }
    })
    const after = (ms: number, events: ModelEvent[]) => () => {
      service.clock.advance(ms)
      return events
    }
    service.model.say(after(300, calls({ name: 'echo', input: {} })), after(500, text('done')))
    const { modelSteps, capabilityCalls } = await trace(executed(await execute()).executionId)
    const at = (ms: number) => new Date(begun + ms).toISOString()
    expect(modelSteps).toEqual([
      { step: 1, startedAt: at(0), durationMs: 300, inputTokens: 7, outputTokens: 3 },
      { step: 2, startedAt: at(340), durationMs: 500, inputTokens: 7, outputTokens: 3 },
    ])
    expect(capabilityCalls).toMatchObject([{ startedAt: at(300), durationMs: 40 }])
  })

  // holds EXE-08
  test('a runtime without a deployment answers, and its model is given no tools', async () => {
    const { service, execute } = await setScene(database(), { manifest: null })
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'completed', messages: [{ parts: [{ content: 'ok' }] }] })
    expect(service.model.requests[0]?.tools).toEqual([])
  })

  // holds RT-10
  test('a runtime without an endpoint has no capabilities to call', async () => {
    const { service, owner } = await setScene(database(), { tier: 'pro' })
    const runtime = await service.runtime(owner, { endpoint: undefined })
    expect((await service.deploy(runtime)).statusCode).toBe(201)
    service.model.say(calls({ name: 'echo', input: {} }), text('Sorry.'))
    const body = executed(await service.send('POST', '/v1/runtime/execute', { key: runtime.publicKey, body: saying() }))
    expect(service.model.requests[0]?.tools).toEqual([])
    expect(body.messages[1]).toMatchObject({
      role: 'tool',
      parts: [{ error: { message: expect.stringContaining('echo') } }],
    })
    expect(body.status).toBe('completed')
  })

  // holds CAP-11, DEP-15, LOOP-05
  test('the model is given the deployed capabilities as tools, and the owner’s instructions', async () => {
    const { service, execute } = await setScene(database(), {
      manifest: {
        agent: { instructions: 'Be brief.' },
        capabilities: [
          {
            name: 'with-schema',
            version: '1.0.0',
            description: 'A.',
            actions: [{ name: 'run', inputSchema: { type: 'object' } }],
          },
          { name: 'without-schema', version: '1.0.0', description: 'B.' },
        ],
      },
    })
    await execute(saying('Hi'))
    expect(service.model.requests[0]).toMatchObject({
      instructions: 'Be brief.',
      messages: saying('Hi').messages,
      tools: [
        { name: 'with-schema', description: 'A.', inputSchema: { type: 'object' } },
        { name: 'without-schema', description: 'B.', inputSchema: null },
      ],
    })
  })

  // holds MSG-03
  test('a public key may not send system turns', async () => {
    const { execute, charged } = await setScene(database())
    const before = await charged()
    const messages = [{ role: 'system', parts: [{ type: 'text', content: 'Obey.' }] }, ...saying().messages]
    expect(fieldsAtFault(await execute({ messages }))).toEqual(['messages.0.role'])
    expect(await charged()).toEqual(before)
  })

  // holds MSG-03, TRC-01
  test('an owner may send system turns, and is charged as usual', async () => {
    const { service, executeAsOwner, usage } = await setScene(database())
    const messages = [{ role: 'system', parts: [{ type: 'text', content: 'Obey.' }] }, ...saying().messages]
    expect(executed(await executeAsOwner({ messages })).status).toBe('completed')
    expect(service.model.requests[0]?.messages).toEqual(messages)
    expect(await usage()).toMatchObject({ executions: 1, anonymous: 0 })
  })

  // holds TRC-03
  test('another owner’s runtime is not found', async () => {
    const { service, runtime, executeAsOwner } = await setScene(database())
    const otherOwner = await service.owner()
    const body = { runtimeId: runtime.runtimeId, ...saying() }
    const foreign = await service.send('POST', '/v1/executions', { key: otherOwner.apiKey, body })
    const absent = await executeAsOwner({ runtimeId: 'rt_nobody0001' })
    expect(foreign.statusCode).toBe(404)
    expect(foreign.body).toBe(absent.body)
  })

  // holds EXE-02
  test('a runtimeId in the body does not lead to another runtime', async () => {
    const { service, owner, runtime, execute, trace } = await setScene(database(), { tier: 'pro' })
    const other = await service.runtime(owner)
    const body = executed(await execute({ ...saying(), runtimeId: other.runtimeId }))
    expect((await trace(body.executionId)).runtimeId).toBe(runtime.runtimeId)
  })

  // holds MSG-10
  test('the turns of an execution that failed during calls can be sent again', async () => {
    const { service, execute, executeAsOwner } = await setScene(database())
    const { dispatcher } = service.deps
    const { dispatch } = dispatcher
    const asked = calls({ name: 'echo', input: { text: 'a' } }, { name: 'echo', input: { text: 'b' } })
    service.model.say(asked, text('done'))
    dispatcher.dispatch = () => Promise.reject(new Error('from within'))
    const failed = executed(await execute(saying('Hi')))
    dispatcher.dispatch = dispatch
    expect(failed).toMatchObject({ status: 'failed', finishReason: 'error' })
    const unanswered = {
      type: 'tool_result',
      output: null,
      error: { message: expect.stringContaining('ended before') },
    }
    expect(failed.messages.at(-1)).toMatchObject({ role: 'tool', parts: [unanswered, unanswered] })
    const again = { messages: [...saying('Hi').messages, ...failed.messages, ...saying('Go on').messages] }
    for (const send of [execute, executeAsOwner]) expect(executed(await send(again)).status).toBe('completed')
  })

  // holds EXE-09
  test('metadata reaches the endpoint and the trace', async () => {
    const { service, endpoint, execute, trace } = await setScene(database())
    const metadata = { page: '/lamps', nested: { list: [1, null, 'é'] } }
    service.model.say(calls({ name: 'echo', input: {} }), text('done'))
    const body = executed(await execute({ ...saying(), metadata }))
    expect(endpoint.effects[0]?.metadata).toEqual(metadata)
    expect((await trace(body.executionId)).metadata).toEqual(metadata)
  })

  // holds SVC-12
  test('an end-user token reaches the endpoint, and no model, row or log line', async () => {
    const lines: string[] = []
    const { service, endpoint, execute } = await setScene(database(), { log: (line) => lines.push(line) })
    const endUserToken = 'token-of-an-end-user-91c2'
    service.model.say(calls({ name: 'echo', input: {} }), text('done'))
    expect(executed(await execute({ ...saying('a private question'), endUserToken })).status).toBe('completed')
    expect(endpoint.effects[0]?.endUserToken).toBe(endUserToken)
    expect(JSON.stringify(service.model.requests)).not.toContain(endUserToken)
    const kept = `${await dumpTables(database())}\n${lines.join('\n')}`
    expect(lines.length).toBeGreaterThan(0)
    expect(kept).not.toContain(endUserToken)
    expect(kept).not.toContain('a private question')
  })

  // holds MSG-07
  test('an empty end-user token is none', async () => {
    const { service, endpoint, execute } = await setScene(database())
    service.model.say(calls({ name: 'echo', input: {} }), text('done'))
    await execute({ ...saying(), endUserToken: '' })
    expect(endpoint.effects[0]).not.toHaveProperty('endUserToken')
  })
})
