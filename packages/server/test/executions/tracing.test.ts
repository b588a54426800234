import { type OtlpDouble, type ReceivedSpan, startOtlpDouble } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createOtlpTracer } from '../../src/telemetry/otlp-tracer.ts'
import type { TraceSettings } from '../../src/telemetry/trace-settings.ts'
import type { Tracer } from '../../src/telemetry/tracing.ts'
import { createTestClock } from '../support/clock.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { executed, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

const CALLER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'

interface Traced {
  receiver: OtlpDouble
  tracer: Tracer
  logged: object[]
}

async function startTracer(settings: Partial<TraceSettings> = {}): Promise<Traced> {
  const receiver = await startOtlpDouble()
  onTestFinished(() => receiver.close())
  const logged: object[] = []
  const tracer = createOtlpTracer(
    { url: `${receiver.url}/v1/traces`, serviceName: 'svc-test', resource: { team: 'blue' }, ratio: 1, ...settings },
    {
      clock: createTestClock(),
      version: '1.2.3',
      nodeId: 'node-1',
      logger: { warn: (fields, message) => void logged.push({ ...fields, message }) },
    },
  )
  return { receiver, tracer, logged }
}

function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [span, ...more] = spans.filter((each) => each.name === name)
  if (!span || more.length > 0) throw new Error(`not one span “${name}”: ${spans.map((each) => each.name).join(', ')}`)
  return span
}

// The store has no part in these: one engine tells as much as two.
describeEngine('sqlite', 'traces', (engine) => {
  const database = useDatabase(engine)

  test('an execute is one trace, the caller’s: request, admission, model, capability and settlement', async () => {
    const { receiver, tracer } = await startTracer()
    const lines: string[] = []
    const scene = await setScene(database(), { tracer, log: (line) => void lines.push(line) })
    scene.service.model.say(calls({ name: 'echo', input: { text: 'a' } }), text('done'))
    const { executionId } = executed(await scene.execute(undefined, { headers: { traceparent: CALLER } }))
    await tracer.close()

    const spans = receiver.spans.filter(({ traceId }) => traceId === '4bf92f3577b34da6a3ce929d0e0e4736')
    const request = only(spans, 'POST /v1/runtime/execute')
    expect(request).toMatchObject({ parentSpanId: '00f067aa0ba902b7', hasFailed: false })
    expect(request.attributes).toMatchObject({ 'svc.execution_id': executionId, 'http.response.status_code': 200 })
    const names = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId).map(({ name }) => name)
    expect(names.sort()).toEqual(['admit', 'capability call', 'model call', 'model call', 'settle'])
    expect(spans).toHaveLength(6)
    const call = only(spans, 'capability call')
    expect(call.attributes).toMatchObject({ 'svc.capability': 'echo', 'svc.runtime_id': scene.runtime.runtimeId })
    // The endpoint continues the very call.
    expect(scene.endpoint.effects[0]?.headers['traceparent']).toBe(`00-${request.traceId}-${call.spanId}-01`)
    expect(spans.find(({ name }) => name === 'model call')?.attributes).toEqual({
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'test',
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 3,
    })
    expect(receiver.resource).toEqual({
      team: 'blue',
      'service.name': 'svc-test',
      'service.version': '1.2.3',
      'service.instance.id': 'node-1',
    })
    const logged = lines.map((line) => JSON.parse(line)).find(({ route }) => route === '/v1/runtime/execute')
    expect(logged).toMatchObject({ executionId, traceId: request.traceId })
  })

  test('no span holds message text, payloads, credentials or addresses', async () => {
    const { receiver, tracer } = await startTracer()
    const handle = { echo: () => ({ output: { text: 'CANARY-output' } }) }
    const { service, execute, broker, call, runtime, owner } = await setScene(database(), { tracer, handle })
    service.model.say(calls({ name: 'echo', input: { text: 'CANARY-input' } }), text('CANARY-answer'))
    const secret = { metadata: { note: 'CANARY-metadata' }, endUserToken: 'CANARY-token' }
    executed(await execute({ ...saying('CANARY-message'), ...secret }))
    const input = { text: 'CANARY-input' }
    await broker('echo', { input, ...secret })
    await call({ capability: 'echo', input, endUserToken: 'CANARY-token' })
    await service.send('GET', '/v1/executions?cursor=CANARY-query', { key: owner.apiKey })
    await service.send('GET', '/CANARY-path', { key: 'CANARY-key', headers: { cookie: 'CANARY-cookie' } })
    await execute(
      { messages: 'CANARY-body' },
      { headers: { tracestate: 'CANARY=1', baggage: 'CANARY=1', 'x-note': 'CANARY' } },
    )
    await tracer.close()

    const sent = receiver.bodies.join('\n')
    expect(receiver.spans.length).toBeGreaterThan(10)
    expect(sent).not.toContain('CANARY')
    for (const key of [runtime.publicKey, runtime.deployKey, runtime.secret, owner.apiKey])
      expect(sent).not.toContain(key)
    expect(sent).not.toContain('127.0.0.1')
  })

  test('a call that fails inside the service is a failed span, too', async () => {
    const { receiver, tracer } = await startTracer()
    const { service, broker } = await setScene(database(), { tracer })
    service.deps.dispatcher.dispatch = () => Promise.reject(new Error('a fault of our own'))
    expect((await broker('echo')).statusCode).toBe(500)
    await tracer.close()
    expect(only(receiver.spans, 'capability call')).toMatchObject({ hasFailed: true })
  })

  test('a call that fails is a failed span, without the endpoint’s message', async () => {
    const { receiver, tracer } = await startTracer()
    const handle = { echo: () => ({ output: null, error: { message: 'CANARY-failure' } }) }
    const { broker } = await setScene(database(), { tracer, handle })
    expect((await broker('echo')).statusCode).toBe(502)
    await tracer.close()
    expect(only(receiver.spans, 'capability call').hasFailed).toBe(true)
    expect(receiver.bodies.join('')).not.toContain('CANARY')
  })
})

test('the caller does not decide whether a trace is kept', async () => {
  const all = await startTracer()
  all.tracer.begin(CALLER, { 'http.request.method': 'GET' }).end()
  await all.tracer.close()
  expect(all.receiver.spans).toHaveLength(1)

  const none = await startTracer({ ratio: 0 })
  const span = none.tracer.begin(CALLER.replace(/00$/, '01'), { 'http.request.method': 'GET' })
  expect(span.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/)
  span.begin('admit').end()
  span.end()
  await none.tracer.close()
  expect(none.receiver.bodies).toEqual([])
})

test('a receiver that refuses spans is logged once, and ends nothing', async () => {
  const { receiver, tracer, logged } = await startTracer()
  receiver.answerWith(400)
  // More than one batch.
  for (let count = 0; count < 1_200; count += 1) tracer.begin(undefined, { 'http.request.method': 'GET' }).end()
  await tracer.close()
  expect(receiver.bodies.length).toBeGreaterThan(1)
  expect(logged).toEqual([{ lost: 512, cause: expect.any(String), message: 'spans could not be sent' }])
})
