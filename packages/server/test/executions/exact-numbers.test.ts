import { startOpenAiDouble } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { openModel } from '../../src/model/open-model.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { executed, saying, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const ANY_INPUT = { actions: [] }
const manifest = { capabilities: [capability('echo', ANY_INPUT), capability('wide', ANY_INPUT)] }
const JSON_HEADERS = { 'content-type': 'application/json' }
const ROUNDED = ['holds a number that JSON readers would round: send it as text.']

// Judged before or after the store is asked; execute.test.ts and broker.test.ts hold what is stored on both engines.
describeEngine('sqlite', 'a number that JSON readers would round', (engine) => {
  const database = useDatabase(engine)

  // holds MSG-09
  test.each([
    ['an integer', '9007199254740993'],
    ['one that no double holds', '1e400'],
  ])('(%s) is refused in an input and in metadata, by its field, and costs nothing', async (_, number) => {
    const { service, runtime, owner, charged } = await setScene(database(), { manifest })
    const before = await charged()
    const messages = JSON.stringify(saying().messages)
    const path = `/v1/capabilities/${runtime.runtimeId}/echo`
    const requests = [
      [path, undefined, `{"input":{"order":{"id":${number}}}}`, 'input', 'input.order.id'],
      [path, undefined, `{"metadata":{"ids":[1,${number}]}}`, 'metadata', 'metadata.ids.1'],
      [
        '/v1/runtime/capability',
        runtime.publicKey,
        `{"capability":"echo","input":{"id":${number}}}`,
        'input',
        'input.id',
      ],
      [
        '/v1/runtime/execute',
        runtime.publicKey,
        `{"messages":${messages},"metadata":{"id":${number}}}`,
        'metadata',
        'metadata.id',
      ],
      [
        '/v1/executions',
        owner.apiKey,
        `{"runtimeId":"${runtime.runtimeId}","messages":${messages},"metadata":{"id":${number}}}`,
        'metadata',
        'metadata.id',
      ],
    ] as const
    for (const [url, key, payload, field, place] of requests) {
      const headers = { ...JSON_HEADERS, ...(key && { authorization: `Bearer ${key}` }) }
      const answer = await service.inject({ method: 'POST', url, headers, payload })
      expect([url, answer.statusCode, answer.json().error.details.fieldErrors]).toEqual([
        url,
        400,
        { [field]: ROUNDED, [place]: ROUNDED },
      ])
    }
    expect(await charged()).toEqual(before)
  })

  test('does not include safe integers, long fractions and large doubles, which pass', async () => {
    const { service, runtime } = await setScene(database(), { manifest })
    const payload = '{"input":{"a":9007199254740991,"b":-9007199254740991,"c":0.12345678901234567890,"d":1.5e300}}'
    const url = `/v1/capabilities/${runtime.runtimeId}/echo`
    const answer = await service.inject({ method: 'POST', url, headers: JSON_HEADERS, payload })
    expect(answer.json().output).toEqual({
      a: 9007199254740991,
      b: -9007199254740991,
      c: 0.12345678901234568,
      d: 1.5e300,
    })
  })

  // holds OUT-18
  test('is a capability failure in an output, which names its place', async () => {
    const answered = (body: string) => ({ fault: 'status', status: 200, body }) as const
    const { broker } = await setScene(database(), {
      manifest,
      handle: { wide: () => answered('{"output":{"orders":[{"id":12345678901234567890}]}}') },
    })
    const answer = await broker('wide')
    expect(answer.statusCode).toBe(502)
    expect(answer.json().error.message).toBe(
      'The endpoint gave an answer that could not be used: “output.orders.0.id” holds a number that JSON readers would round: send it as text: whether the call had an effect is unknown.',
    )
  })

  // holds MSG-09
  test('is a tool result with an error where a model wrote it, without a dispatch', async () => {
    const double = await startOpenAiDouble({
      script: (_request, index) =>
        index === 0
          ? { toolCalls: [{ name: 'echo', rawArguments: '{"order":{"id":9007199254740993}}' }] }
          : { text: 'ok' },
    })
    onTestFinished(() => double.close())
    const env = { SVC_MODEL_BASE_URL: double.baseUrl, SVC_MODEL_API_KEY: 'sk-test' }
    const model = await openModel({ spec: 'openai-compatible:test-model', env, limits: DEFAULT_LIMITS })
    const { execute, endpoint } = await setScene(database(), { manifest, model })
    const { messages, status } = executed(await execute())
    expect(status).toBe('completed')
    expect(messages[0]?.parts[0]).toMatchObject({ type: 'tool_call', input: {} })
    expect(messages[1]?.parts[0]).toMatchObject({
      output: null,
      error: { message: 'input.order.id holds a number that JSON readers would round: send it as text.' },
    })
    expect(endpoint.effects).toEqual([])
  })
})

describeEngine('sqlite', 'an answer of more values than are accepted', (engine) => {
  const database = useDatabase(engine)

  // holds OUT-15
  test('is a capability failure that names the limit, and one within it passes', async () => {
    const list = (count: number) => ({ output: Array.from({ length: count }, () => 1) })
    const { broker } = await setScene(database(), {
      manifest,
      handle: { wide: ({ input }) => list(Number(input['count'])) },
    })
    const refused = await broker('wide', { input: { count: 60_000 } })
    expect(refused.statusCode).toBe(502)
    expect(refused.json().error.message).toBe(
      'The endpoint gave an answer with more than 50000 values: return less, page by page: whether the call had an effect is unknown.',
    )
    expect((await broker('wide', { input: { count: 49_000 } })).json().output).toHaveLength(49_000)
  })
})
