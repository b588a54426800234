import { type DoubleTurn, eventsOfTurn } from '@svc/testkit'
import { describe, expect, test, vi } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { openModel } from '../../src/model/open-model.ts'
import { KEY, modelAt, networkOf, outcomeOf, printedOf, startDouble, textOf } from './support.ts'

const quickly = { 'retry-after-ms': '1' }
const refusal = (status: number, headers: Record<string, string> = quickly): DoubleTurn => ({
  fault: { type: 'status', status, headers },
})

describe('a provider that refuses before its answer begins', () => {
  test('is retried twice at most: 429, then 503, then the answer', async () => {
    const double = await startDouble([refusal(429), refusal(503), { text: 'At last' }])
    const { events, error } = await outcomeOf(modelAt(double))
    expect(error).toBeNull()
    expect(textOf(events)).toBe('At last')
    expect(double.requests).toHaveLength(3)
  })

  test('is retried after its retry-after header, also in seconds', async () => {
    const double = await startDouble([refusal(429, { 'retry-after': '0' }), { text: 'At last' }])
    expect(textOf((await outcomeOf(modelAt(double))).events)).toBe('At last')
  })

  test('is retried after the usual pause where its retry-after is too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const headers = { 'content-type': 'application/json', 'retry-after': '3600' }
    const fetch = vi.fn(async () => new Response('{}', { status: 429, headers }))
    const env = { SVC_MODEL_BASE_URL: 'http://127.0.0.1:9/v1' }
    const outcome = outcomeOf(
      openModel({ spec: 'openai-compatible:m', env, limits: DEFAULT_LIMITS, network: networkOf(fetch) }),
    )
    await vi.advanceTimersByTimeAsync(10_000)
    vi.useRealTimers()
    expect((await outcome).error?.message).toBe('The model is rate limited at the moment.')
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  test.each([
    [429, 'The model is rate limited at the moment.', 3],
    [500, 'The model is not available at the moment.', 3],
    [529, 'The model is not available at the moment.', 3],
    [401, 'The model provider refused the service’s credential.', 1],
    [403, 'The model provider refused the service’s credential.', 1],
    [404, 'The model provider refused the request.', 1],
  ])('fails with the message for %i', async (status, sentence, attempts) => {
    const double = await startDouble(() => refusal(status))
    const { events, error } = await outcomeOf(modelAt(double))
    expect(events).toEqual([])
    expect(error).toMatchObject({ message: sentence, usage: { inputTokens: 0, outputTokens: 0 } })
    expect(double.requests).toHaveLength(attempts)
  })

  test('differs from one that cannot be reached', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' })
    const fetch = vi.fn(async () => {
      throw new TypeError('fetch failed', { cause: refused })
    })
    const env = { SVC_MODEL_BASE_URL: 'http://127.0.0.1:9/v1' }
    const outcome = outcomeOf(
      openModel({ spec: 'openai-compatible:m', env, limits: DEFAULT_LIMITS, network: networkOf(fetch) }),
    )
    await vi.advanceTimersByTimeAsync(10_000)
    vi.useRealTimers()
    const { error } = await outcome
    expect(error?.message).toBe('The model could not be reached.')
    expect(printedOf(error)).toContain('ECONNREFUSED')
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  test('never has its key, the prompt or the answer in a log', async () => {
    const echo = `Incorrect API key provided: ${KEY}.`
    const double = await startDouble([
      { fault: { type: 'status', status: 401, message: echo } },
      { text: 'the-answer-canary', fault: { type: 'error_event', message: `${echo} the-answer-canary` } },
      { text: 'the-answer-canary', fault: { type: 'cut', afterBytes: 500, by: 'end' } },
    ])
    const model = await modelAt(double)
    for (let call = 0; call < 3; call++) {
      const { error } = await outcomeOf(model, {
        messages: [{ role: 'user', parts: [{ type: 'text', content: 'the-prompt-canary' }] }],
      })
      expect(error).not.toBeNull()
      expect(printedOf(error)).not.toMatch(/sk-canary|prompt-canary|answer-canary/)
    }
  })
})

describe('an answer that breaks off', () => {
  test.each(['openai', 'openai-compatible'] as const)('by an error event is a failure (%s)', async (provider) => {
    const fault = { type: 'error_event', message: 'overloaded' } as const
    const double = await startDouble([{ text: ['Half', ' an answer'], fault }])
    const { events, error } = await outcomeOf(modelAt(double, { provider }))
    expect(textOf(events)).toBe('Half an answer')
    expect(error?.message).toBe('The model’s answer was cut off.')
  })

  test.each(['openai', 'openai-compatible'] as const)(
    'without a finish reason is a failure whose calls are not handed over, metered as reported (%s)',
    async (provider) => {
      const double = await startDouble([
        {
          toolCalls: [{ name: 'buy', input: { id: 1 } }],
          finishReason: null,
          done: false,
          usage: { inputTokens: 40, outputTokens: 9 },
        },
      ])
      const { events, error } = await outcomeOf(modelAt(double, { provider }))
      expect(events).toEqual([])
      expect(error).toMatchObject({
        message: 'The model’s answer was cut off.',
        usage: { inputTokens: 40, outputTokens: 9 },
      })
    },
  )

  test('is not retried', async () => {
    const double = await startDouble([
      { text: 'Half', fault: { type: 'cut', afterBytes: 500, by: 'drop' } },
      { text: 'never asked for' },
    ])
    expect((await outcomeOf(modelAt(double))).error?.message).toBe('The model’s answer was cut off.')
    expect(double.requests).toHaveLength(1)
  })
})

describe('a stream that is cut at any place', () => {
  const turn: DoubleTurn = {
    text: 'Buying it.',
    toolCalls: [{ name: 'buy', input: { id: 'p-1', count: 2 } }],
    pieceLength: 16,
    usage: { inputTokens: 90, outputTokens: 12 },
  }
  const stream = eventsOfTurn(turn, 'test-model').join('')
  const finishReason = '"finish_reason":"tool_calls"}]}'
  const finishEnds = stream.indexOf(finishReason) + finishReason.length
  const tools = [{ name: 'buy', description: 'Buy.', inputSchema: null }]

  async function* outcomesOfCuts(by: 'drop' | 'end') {
    let cut = 0
    const double = await startDouble(() => ({ ...turn, fault: { type: 'cut', afterBytes: cut, by } }))
    const model = await modelAt(double)
    for (; cut < stream.length; cut += 1) yield { cut, ...(await outcomeOf(model, { tools })) }
  }

  test('by a dropped connection never ends as if it were complete, and never emits a call', async () => {
    for await (const { cut, events, error } of outcomesOfCuts('drop')) {
      expect({ cut, others: events.filter((event) => event.type !== 'text') }).toEqual({ cut, others: [] })
      expect(error?.message).toMatch(/cut off|could not be reached/)
    }
  }, 60_000)

  test('by an orderly end emits a call only when the finish reason had arrived', async () => {
    const ended: number[] = []
    for await (const { cut, events, error } of outcomesOfCuts('end')) {
      const types = events.map((event) => event.type)
      if (error === null) ended.push(cut)
      expect({ cut, handedOver: types.includes('tool_call') }).toEqual({ cut, handedOver: error === null })
      expect({ cut, ended: types.includes('end') }).toEqual({ cut, ended: error === null })
    }
    expect(ended.length).toBeGreaterThan(0)
    expect(Math.min(...ended)).toBeGreaterThanOrEqual(finishEnds)
  }, 60_000)
})
