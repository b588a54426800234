import { expect, test } from 'vitest'
import { fieldsAtFault } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { deployed, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

describeEngines('the capability route', (engine) => {
  const database = useDatabase(engine)

  // holds CPR-01, CPR-02, CPR-05
  test('answers the output, and is metered as one call without tokens', async () => {
    const { call, endpoint, trace, usage } = await setScene(database())
    const answer = await call({ capability: 'echo', input: { text: 'a' }, endUserToken: 'user-1' })
    expect(answer.statusCode).toBe(200)
    const body = answer.json()
    expect(body).toEqual({ executionId: expect.stringMatching(/^exec_/), output: { text: 'a' }, durationMs: 0 })
    expect(endpoint.effects).toMatchObject([{ input: { text: 'a' }, metadata: {}, endUserToken: 'user-1' }])
    expect(await trace(body.executionId)).toMatchObject({
      kind: 'capability',
      status: 'completed',
      steps: 0,
      modelSteps: [],
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      capabilityCalls: [{ callId: endpoint.effects[0]?.callId, output: { text: 'a' } }],
    })
    expect(await usage()).toMatchObject({ executions: 1, anonymous: 0, capability_calls: 1, input_tokens: 0 })
  })

  // holds CPR-03, ERR-08
  test('a failure is 200 with an error', async () => {
    const { call, trace } = await setScene(database(), { handle: { echo: () => ({ error: 'Out of stock.' }) } })
    const answer = await call({ capability: 'echo' })
    expect(answer.statusCode).toBe(200)
    const body = answer.json()
    expect(body).toEqual({ executionId: expect.any(String), error: { message: 'Out of stock.' }, durationMs: 0 })
    expect(await trace(body.executionId)).toMatchObject({ status: 'failed', error: body.error })
  })

  // holds CPR-04, ERR-03, SVC-09
  test('an unknown capability is 404 that names it, and costs nothing', async () => {
    const { call, charged } = await setScene(database())
    const before = await charged()
    const answer = await call({ capability: 'order-status' })
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'not_found'])
    expect(answer.json().error.message).toContain('order-status')
    expect((await call({ capability: 'x'.repeat(10_000) })).body.length).toBeLessThan(500)
    expect(await charged()).toEqual(before)
  })

  // holds CPR-01
  test('a capability of another runtime of the same owner is not found, even if the body names that runtime', async () => {
    const { service, owner, endpoint, call } = await setScene(database(), { tier: 'pro' })
    const other = await service.runtime(owner, { endpoint: endpoint.url })
    await deployed(service, other, { capabilities: [capability('other')] })
    expect((await call({ capability: 'other', runtimeId: other.runtimeId })).statusCode).toBe(404)
    expect((await call({ capability: 'other' }, { key: other.publicKey })).statusCode).toBe(200)
  })

  // holds RT-10
  test('a capability of a runtime without an endpoint is not found', async () => {
    const { service, owner, call } = await setScene(database(), { tier: 'pro' })
    const runtime = await service.runtime(owner, { endpoint: undefined })
    await service.deploy(runtime)
    const answer = await call({ capability: 'echo' }, { key: runtime.publicKey })
    expect(answer.statusCode).toBe(404)
  })

  // holds CPR-07
  test('an input that does not fit is 400 on the field, before anything is metered', async () => {
    const { call, charged } = await setScene(database())
    const before = await charged()
    expect(fieldsAtFault(await call({ capability: 'echo', input: { text: 7 } }))).toEqual(
      expect.arrayContaining(['input', 'input.text']),
    )
    expect(fieldsAtFault(await call({ capability: 'echo', input: 'text' }))).toEqual(['input'])
    expect(fieldsAtFault(await call({ input: {} }))).toEqual(['capability'])
    expect(await charged()).toEqual(before)
  })

  // holds CPR-06
  test('draws on the main bucket and not on the anonymous one', async () => {
    const { call, broker } = await setScene(database())
    await Promise.all(Array.from({ length: 50 }, () => broker('echo')))
    expect((await broker('echo')).statusCode).toBe(429)
    expect((await call({ capability: 'echo' })).statusCode).toBe(200)
  })

  test('is refused once the main bucket is empty', async () => {
    const { call, executeAsOwner } = await setScene(database())
    await Promise.all(Array.from({ length: 200 }, () => executeAsOwner()))
    expect((await call({ capability: 'echo' })).statusCode).toBe(429)
  })

  // holds CPR-08
  test('an output under the reserved key is passed on untouched', async () => {
    const output = { svc: { settled: true, actions: [{ type: 'link', url: 'javascript:alert(1)' }], unknown: {} } }
    const { call } = await setScene(database(), { handle: { echo: () => ({ output }) } })
    expect((await call({ capability: 'echo' })).json().output).toEqual(output)
  })

  // holds AUTH-11, EXE-11
  test('a missing end user is left to the endpoint to refuse: the call is sent', async () => {
    const { call, endpoint } = await setScene(database(), {
      manifest: { capabilities: [capability('orders', { requiresEndUser: true })] },
      handle: { orders: () => ({ error: 'Sign in first.' }) },
    })
    const answer = await call({ capability: 'orders', endUserToken: '' })
    expect([answer.statusCode, answer.json().error]).toEqual([200, { message: 'Sign in first.' }])
    expect(endpoint.effects).toHaveLength(1)
  })

  test('an output over 64 KiB is complete in the answer, and cut in the trace', async () => {
    const output = { text: 'x'.repeat(100_000) }
    const { call, trace } = await setScene(database(), { handle: { echo: () => ({ output }) } })
    const body = (await call({ capability: 'echo' })).json()
    expect(body.output).toEqual(output)
    expect((await trace(body.executionId)).capabilityCalls).toMatchObject([
      { output: { truncated: true, bytes: 100_011, preview: expect.stringContaining('xxx') } },
    ])
  })
})
