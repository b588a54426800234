import { expect, test } from 'vitest'
import { fieldsAtFault, steadyHeaders } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setScene } from '../support/scene.ts'
import { capability, deployBody } from '../support/service.ts'

const MANIFEST = { capabilities: [capability('echo'), capability('orders', { requiresEndUser: true })] }
const orders = () => ({ output: ['o1'] })

describeEngines('the broker', (engine) => {
  const database = useDatabase(engine)

  // holds EFF-01
  test('a capability that asks a person first is shown to its owner and unknown to anonymous callers', async () => {
    const refund = capability('refund', { effect: 'destructive', confirm: true, preview: true })
    const { broker, service, owner, runtime, endpoint } = await setScene(database(), {
      manifest: { capabilities: [capability('echo'), refund], reconcile: true },
    })
    const [refused, unknown] = [await broker('refund'), await broker('nothing')]
    expect([refused.statusCode, refused.body]).toEqual([404, unknown.body])
    expect(steadyHeaders(refused)).toEqual(steadyHeaders(unknown))
    const signedIn = await broker('refund', { endUserToken: 'token-of-a-customer', input: { text: 'a' } })
    expect([signedIn.statusCode, signedIn.body]).toEqual([404, unknown.body])
    expect(endpoint.effects).toEqual([])
    const shown = (path: string) =>
      service.send('GET', `/v1/runtimes/${runtime.runtimeId}${path}`, { key: owner.apiKey })
    expect((await shown('')).json()).toMatchObject({
      capabilities: [
        { effect: 'write', confirm: false },
        { name: 'refund', effect: 'destructive', confirm: true },
      ],
    })
    const { manifest } = (await shown('/deployments/1')).json()
    expect(manifest).toMatchObject({ capabilities: [{ name: 'echo' }, refund], reconcile: true })
  })

  // holds BRK-01, BRK-02, BRK-06, SVC-06, TRC-15
  test('a success answers the output, and costs one anonymous execution and no model tokens', async () => {
    const { broker, endpoint, trace, usage } = await setScene(database())
    const answer = await broker('echo', { input: { text: 'a' }, metadata: { from: 'search' } })
    expect(answer.statusCode).toBe(200)
    const body = answer.json()
    expect(body).toEqual({ executionId: expect.stringMatching(/^exec_/), output: { text: 'a' }, durationMs: 0 })
    expect(endpoint.effects).toMatchObject([{ capability: 'echo', input: { text: 'a' }, metadata: { from: 'search' } }])
    expect(await trace(body.executionId)).toMatchObject({
      kind: 'broker',
      status: 'completed',
      finishReason: 'stop',
      deploymentVersion: 1,
      messageShape: [],
      steps: 0,
      totalTokens: 0,
      metadata: { from: 'search' },
      capabilityCalls: [{ callId: endpoint.effects[0]?.callId, input: { text: 'a' }, output: { text: 'a' } }],
    })
    expect(await usage()).toMatchObject({
      executions: 1,
      completed: 1,
      anonymous: 1,
      capability_calls: 1,
      input_tokens: 0,
    })
  })

  test('an absent input is an empty one, and null is an output', async () => {
    const { broker, endpoint } = await setScene(database(), { handle: { echo: () => ({ output: null }) } })
    expect((await broker('echo')).json()).toMatchObject({ output: null })
    expect(endpoint.effects[0]).toMatchObject({ input: {}, metadata: {} })
  })

  const failures = [
    ['its own word', () => ({ error: { message: 'Out of stock.' } }) as const, 'Out of stock.', 'failed'],
    [
      'an error status',
      () => ({ fault: 'status', status: 503 }) as const,
      'The endpoint answered with status 503.',
      'failed',
    ],
    [
      'a connection that is cut',
      () => ({ fault: 'cut', at: 'inside-body', how: 'reset' }) as const,
      'The connection broke off before the endpoint had answered: whether the call had an effect is unknown.',
      'unknown',
    ],
  ] as const

  // holds BRK-03, BRK-09, ERR-07
  test.each(failures)(
    'a failure by %s is 502 in the shape without a code, recorded and charged',
    async (_, echo, message, status) => {
      const { broker, trace, usage } = await setScene(database(), { handle: { echo } })
      const answer = await broker('echo', { input: { text: 'a' } })
      expect(answer.statusCode).toBe(502)
      const body = answer.json()
      expect(body).toEqual({
        executionId: expect.stringMatching(/^exec_/),
        error: { message },
        durationMs: 0,
        ...(status === 'unknown' && { outcome: status }),
      })
      expect(await trace(body.executionId)).toMatchObject({
        status: 'failed',
        finishReason: 'error',
        error: body.error,
        capabilityCalls: [{ status, input: { text: 'a' }, output: null, error: body.error }],
      })
      expect(await usage()).toMatchObject({ executions: 1, completed: 0, failed: 1, anonymous: 1, capability_calls: 1 })
    },
  )

  // holds BRK-04, BRK-07, BRK-08, BRK-10, RT-10
  test('unknown runtime, unknown capability and missing endpoint get the same answer, headers included', async () => {
    const { service, owner, runtime, charged } = await setScene(database(), { tier: 'pro', manifest: MANIFEST })
    const bare = await service.runtime(owner)
    const unreachable = await service.runtime(owner, { endpoint: undefined })
    await service.send('POST', '/v1/deployments', { key: unreachable.deployKey, body: deployBody(MANIFEST) })
    const before = await charged()
    const paths = [
      'rt_nobody00000000000001/echo',
      'not-a-runtime-id/echo',
      `${runtime.runtimeId}/unknown`,
      `${runtime.runtimeId}/ECHO`,
      `${runtime.runtimeId}/constructor`,
      `${bare.runtimeId}/echo`,
      `${unreachable.runtimeId}/echo`,
      // A missing endpoint comes before the question who the end user is.
      `${unreachable.runtimeId}/orders`,
    ]
    const ask = (path: string) => service.send('POST', `/v1/capabilities/${path}`, { body: { input: { text: 1 } } })
    const answers = [...(await Promise.all(paths.map(ask))), ...(await Promise.all(paths.map(ask)))]
    const seen = answers.map((answer) =>
      JSON.stringify([answer.statusCode, answer.body, Object.entries(steadyHeaders(answer))]),
    )
    expect([...new Set(seen)]).toEqual([expect.stringMatching(/^\[404,.*not_found/)])
    expect(Object.keys(answers[0]?.headers ?? {}).filter((name) => name.startsWith('ratelimit'))).toEqual([])
    expect(await charged()).toEqual(before)
  })

  // holds BRK-05, BRK-08, CAP-07
  test('a capability for end users answers 401 without a token or with an empty one, at no cost', async () => {
    const { broker, endpoint, charged } = await setScene(database(), { manifest: MANIFEST, handle: { orders } })
    const before = await charged()
    for (const body of [
      {},
      { endUserToken: '' },
      { input: { wrong: 1 } },
      { input: 'wrong' },
      { input: 1, endUserToken: '' },
    ]) {
      const answer = await broker('orders', body)
      expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'unauthorized'])
      expect(answer.headers['ratelimit-limit']).toBe('60')
    }
    expect(await charged()).toEqual(before)
    expect((await broker('orders', { endUserToken: 'user-1' })).json()).toMatchObject({ output: ['o1'] })
    expect(endpoint.effects).toMatchObject([{ endUserToken: 'user-1' }])
  })

  // holds BRK-08, BRK-13
  test('an invalid input is 400 on the field, at no cost', async () => {
    const { service, runtime, broker, charged } = await setScene(database(), { manifest: MANIFEST, handle: { orders } })
    const before = await charged()
    expect(fieldsAtFault(await broker('echo', { input: { text: 1 } }))).toEqual(
      expect.arrayContaining(['input', 'input.text']),
    )
    expect(fieldsAtFault(await broker('orders', { endUserToken: 'u', input: { more: 1 } }))).toContain('input')
    expect(fieldsAtFault(await broker('echo', { input: [] }))).toEqual(['input'])
    expect(fieldsAtFault(await broker('echo', { metadata: { note: 'x'.repeat(8_192) } }))).toEqual(['metadata'])
    expect(fieldsAtFault(await broker('echo', { endUserToken: 'x'.repeat(8_193) }))).toEqual(['endUserToken'])
    const malformed = await service.inject({
      method: 'POST',
      url: `/v1/capabilities/${runtime.runtimeId}/echo`,
      headers: { 'content-type': 'application/json' },
      payload: '{"input": ',
    })
    expect(fieldsAtFault(malformed)).toEqual(['body'])
    expect(await charged()).toEqual(before)
  })

  // holds BRK-07
  test('checks are made in this order: capability, end user, input, quota', async () => {
    const { service, runtime, broker } = await setScene(database(), { manifest: MANIFEST, handle: { orders } })
    await Promise.all(Array.from({ length: 50 }, () => broker('echo')))
    const statuses = [
      (await service.send('POST', `/v1/capabilities/${runtime.runtimeId}/none`, { body: { input: 1 } })).statusCode,
      (await broker('orders', { input: { text: 1 } })).statusCode,
      (await broker('orders', { endUserToken: 'u', input: { text: 1 } })).statusCode,
      (await broker('orders', { endUserToken: 'u' })).statusCode,
    ]
    expect(statuses).toEqual([404, 401, 400, 429])
  })

  // holds AUTH-11
  test('an end-user token reaches the endpoint also where it is not required', async () => {
    const { broker, endpoint } = await setScene(database())
    await broker('echo', { endUserToken: 'user-2' })
    expect(endpoint.effects[0]?.endUserToken).toBe('user-2')
  })

  // holds CPR-08
  test('a reserved output is passed on untouched', async () => {
    const output = { svc: { settled: false, pending: { capability: 'echo', intervalMs: 1 } }, more: [null, 0, ''] }
    const { broker } = await setScene(database(), { handle: { echo: () => ({ output }) } })
    expect((await broker('echo')).json().output).toEqual(output)
  })
})
