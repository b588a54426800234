import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { executed, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

const CALLER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

// The store has no part in these: one engine tells as much as two.
describeEngine('sqlite', 'without tracing', (engine) => {
  const database = useDatabase(engine)

  test('a caller’s trace is passed on to the endpoint unchanged; without one the calls of an execution share one', async () => {
    const { service, execute, endpoint } = await setScene(database())
    service.model.say(calls({ name: 'echo', input: {} }, { name: 'echo', input: {} }), text('done'))
    executed(await execute(undefined, { headers: { traceparent: CALLER } }))
    const sent = () => endpoint.effects.map(({ headers }) => String(headers['traceparent']))
    expect(sent()).toEqual([CALLER, CALLER])

    service.model.say(calls({ name: 'echo', input: {} }, { name: 'echo', input: {} }), text('done'))
    executed(await execute(undefined, { headers: { traceparent: 'no trace' } }))
    const [first, second] = sent().slice(2)
    expect(first?.slice(0, 35)).toBe(second?.slice(0, 35))
    expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(first).not.toBe(second)
  })

  test('the log line of a request names its execution, and so do those of the model', async () => {
    const lines: string[] = []
    const { execute, broker } = await setScene(database(), { log: (line) => void lines.push(line) })
    const { executionId } = executed(await execute(undefined, { headers: { 'x-request-id': 'request-0001' } }))
    await broker('echo', {})
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    expect(logged.find(({ requestId }) => requestId === 'request-0001')).toMatchObject({ executionId })
    expect(logged.at(-1)).toMatchObject({
      route: '/v1/capabilities/:runtimeId/:capability',
      executionId: expect.any(String),
    })
    expect(logged.every((line) => !('traceId' in line))).toBe(true)
  })

  test('the log line of a request names the runtime that it reached, and never an unverified one', async () => {
    const lines: string[] = []
    const scene = await setScene(database(), { log: (line) => void lines.push(line) })
    const { service, owner, runtime, execute, broker } = scene
    const { runtimeId } = runtime
    const key = owner.apiKey
    lines.length = 0
    await execute()
    await broker('echo', {})
    await service.send('POST', '/v1/executions', { key, body: { runtimeId, ...saying() } })
    await service.send('POST', '/v1/runtime/heartbeat', { key: runtime.deployKey, body: {} })
    await service.send('GET', `/v1/runtimes/${runtimeId}`, { key })
    await service.send('GET', '/v1/runtimes/their-words', { key })
    await service.send('GET', `/v1/runtimes/${runtimeId}`, { key: 'svc_ak_wrong' })
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    expect(logged.map((line) => line.runtimeId)).toEqual([...Array(5).fill(runtimeId), undefined, undefined])
    expect(JSON.stringify(logged)).not.toContain('their-words')
  })
})
