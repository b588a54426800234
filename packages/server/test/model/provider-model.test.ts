import { describe, expect, test, vi } from 'vitest'
import type { ModelTool } from '../../src/model/model.ts'
import { KEY, modelAt, outcomeOf, requestOf, startDouble, textOf } from './support.ts'

const search: ModelTool = {
  name: 'search-products',
  description: 'Search the shop.',
  inputSchema: { properties: { query: { type: 'string' } }, required: ['query'] },
}
const listAll: ModelTool = { name: 'list-all', description: 'List everything.', inputSchema: null }

describe.each(['openai', 'openai-compatible'] as const)('a model of %s', (provider) => {
  test('passes the text on as it comes and ends with what the provider reported', async () => {
    const double = await startDouble([{ text: ['Hel', 'lo', '!'], usage: { inputTokens: 31, outputTokens: 5 } }])
    const { events, error } = await outcomeOf(modelAt(double, { provider }))
    expect(error).toBeNull()
    expect(events).toEqual([
      { type: 'text', content: 'Hel' },
      { type: 'text', content: 'lo' },
      { type: 'text', content: '!' },
      { type: 'end', reason: 'stop', usage: { inputTokens: 31, outputTokens: 5 } },
    ])
  })

  test('ends a turn at the byte limit of its text, between characters, and makes none of its calls', async () => {
    const turn = { text: ['Hällo', 'wörld', 'and on'], toolCalls: [{ name: 'list-all', input: {} }] }
    const double = await startDouble([turn, turn])
    const cut = await outcomeOf(modelAt(double, { provider }), { tools: [listAll], maxTextBytes: 8 })
    expect(cut.error).toBeNull()
    expect(cut.events).toEqual([
      { type: 'text', content: 'Hällo' },
      { type: 'text', content: 'w' },
      { type: 'end', reason: 'length', usage: expect.anything() },
    ])
    const whole = await outcomeOf(modelAt(double, { provider }), { tools: [listAll], maxTextBytes: 20 })
    expect(textOf(whole.events)).toBe('Hällowörldand on')
    expect(whole.events.at(-1)).toMatchObject({ type: 'end', reason: 'tool_calls' })
  })

  test('ends a turn at the byte limit of its calls, and makes none of them', async () => {
    const input = { query: 'x'.repeat(100) }
    const turn = {
      text: 'Hi',
      toolCalls: [
        { name: 'list-all', input: {} },
        { name: 'search-products', input },
      ],
    }
    const double = await startDouble([turn, turn])
    const model = await modelAt(double, { provider })
    const bytes = Buffer.byteLength(`Hi{}${JSON.stringify(input)}`)
    const cut = await outcomeOf(model, { tools: [search, listAll], maxTextBytes: bytes - 1 })
    expect(cut.error).toBeNull()
    expect(cut.events).toEqual([
      { type: 'text', content: 'Hi' },
      { type: 'end', reason: 'length', usage: expect.anything() },
    ])
    const whole = await outcomeOf(model, { tools: [search, listAll], maxTextBytes: bytes })
    expect(whole.events.filter(({ type }) => type === 'tool_call')).toHaveLength(2)
  })

  test('assembles parallel tool calls that arrive in interleaved pieces, in their order', async () => {
    const double = await startDouble([
      {
        text: 'Let me look.',
        toolCalls: [
          { name: 'search-products', input: { query: 'rain "jacket" ünïcode' } },
          { name: 'list-all', rawArguments: '' },
          { name: 'search-products', input: { query: 'boots' } },
        ],
        pieceLength: 3,
      },
    ])
    const { events } = await outcomeOf(modelAt(double, { provider }), { tools: [search, listAll] })
    expect(events).toEqual([
      { type: 'text', content: 'Let me look.' },
      { type: 'tool_call', name: 'search-products', input: { query: 'rain "jacket" ünïcode' } },
      { type: 'tool_call', name: 'list-all', input: {} },
      { type: 'tool_call', name: 'search-products', input: { query: 'boots' } },
      { type: 'end', reason: 'tool_calls', usage: { inputTokens: 11, outputTokens: 7 } },
    ])
  })

  test('passes on a call whose arguments are no JSON as undefined, and a call of an unknown tool as it is', async () => {
    const double = await startDouble([
      {
        toolCalls: [
          { name: 'search-products', rawArguments: '{"query": "boo' },
          { name: 'constructor', input: { a: 1 } },
        ],
      },
    ])
    const { events } = await outcomeOf(modelAt(double, { provider }), { tools: [search] })
    expect(events.slice(0, 2)).toEqual([
      { type: 'tool_call', name: 'search-products', input: undefined },
      { type: 'tool_call', name: 'constructor', input: { a: 1 } },
    ])
  })

  test('does not emit the calls of an answer that ran into its length limit', async () => {
    const double = await startDouble([
      { toolCalls: [{ name: 'search-products', rawArguments: '{"query":"bo"}' }], finishReason: 'length' },
    ])
    const { events } = await outcomeOf(modelAt(double, { provider }), { tools: [search] })
    expect(events.map((event) => event.type)).toEqual(['end'])
    expect(events.at(-1)).toMatchObject({ reason: 'length' })
  })

  test('takes a missing [DONE] after a finish reason, and a [DONE] without one, for an end', async () => {
    const turns = [
      { text: 'Hi', done: false },
      { text: 'Hi', finishReason: null },
    ]
    const double = await startDouble(turns)
    for (const _ of turns) {
      const { events } = await outcomeOf(modelAt(double, { provider }))
      expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stop' })
    }
  })

  test('takes no reason of a server’s own for an end: the turn fails, and none of its calls is made', async () => {
    const double = await startDouble([
      { text: 'Hi', toolCalls: [{ name: 'list-all', input: {} }], finishReason: 'network_error' },
    ])
    const { events, error } = await outcomeOf(modelAt(double, { provider }))
    expect(events).toEqual([{ type: 'text', content: 'Hi' }])
    expect(error?.message).toBe('The model ended its answer for a reason that is no end.')
    expect(error?.usage).toEqual({ inputTokens: 11, outputTokens: 7 })
  })

  // holds CAP-11, SVC-07
  test('asks for usage, sends its key, and lets every tool have an object schema', async () => {
    const double = await startDouble([{ text: 'Hi' }])
    await outcomeOf(modelAt(double, { provider }), { tools: [search, listAll], instructions: 'Be brief.' })
    const request = await double.received(0)
    expect(request.headers['authorization']).toBe(`Bearer ${KEY}`)
    expect(request.body).toMatchObject({
      model: 'test-model',
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      tools: [
        { function: { name: 'search-products', parameters: { type: 'object', required: ['query'] } } },
        { function: { name: 'list-all', parameters: { type: 'object', properties: {} } } },
      ],
    })
  })

  test('prints nothing to the console', async () => {
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((method) => vi.spyOn(console, method))
    const double = await startDouble([
      { text: 'Hi' },
      { fault: { type: 'status', status: 400 } },
      { text: 'Hi', fault: { type: 'error_event', message: 'broken' } },
    ])
    const model = await modelAt(double, { provider })
    for (let call = 0; call < 3; call++) await outcomeOf(model, { instructions: 'Be brief.', tools: [search] })
    expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([])
    for (const spy of spies) spy.mockRestore()
  })
})

describe('leaving a turn', () => {
  test('closes the provider’s connection when the caller aborts, and reports what was used', async () => {
    const double = await startDouble([{ text: ['One', 'Two'], fault: { type: 'stall', afterBytes: 400 } }])
    const caller = new AbortController()
    const turn = (await modelAt(double)).stream(requestOf({ signal: caller.signal }), () => caller.abort())
    await expect(turn).rejects.toThrow('The model call was cancelled.')
    expect(await (await double.received(0)).ended).toBe('client left')
  })

  test('closes the provider’s connection once the turn has said as much as it may', async () => {
    const double = await startDouble([{ text: ['One', 'Two'], fault: { type: 'stall', afterBytes: 400 } }])
    const { events } = await outcomeOf(modelAt(double), { maxTextBytes: 2 })
    expect(events).toMatchObject([
      { type: 'text', content: 'On' },
      { type: 'end', reason: 'length' },
    ])
    expect(await (await double.received(0)).ended).toBe('client left')
  })

  test('ends an attempt that waits for its answer, without another attempt', async () => {
    const double = await startDouble([{ fault: { type: 'stall', before: 'headers' } }, { text: 'never asked for' }])
    const caller = new AbortController()
    const outcome = outcomeOf(modelAt(double), { signal: caller.signal })
    const request = await double.received(0)
    caller.abort()
    expect((await outcome).error?.message).toBe('The model call was cancelled.')
    expect(await request.ended).toBe('client left')
    expect(double.requests).toHaveLength(1)
  })

  test('does not call the provider for a caller who has already disconnected', async () => {
    const double = await startDouble([{ text: 'Hi' }])
    const { error } = await outcomeOf(modelAt(double), { signal: AbortSignal.abort() })
    expect(error?.message).toBe('The model call was cancelled.')
    expect(double.requests).toHaveLength(0)
  })

  // holds LOOP-12
  test.each([
    ['before the headers', { type: 'stall', before: 'headers' }],
    ['in the body', { type: 'stall', afterBytes: 200 }],
  ] as const)('a provider that stalls %s is left when the time is up', async (_place, fault) => {
    const double = await startDouble([{ text: 'Hi', fault }])
    const { error } = await outcomeOf(modelAt(double, { modelMs: 60 }))
    expect(error?.message).toBe('The model took too long to answer.')
    expect(await (await double.received(0)).ended).toBe('client left')
  })

  test('a signal that outlives many turns is left with no listeners', async () => {
    const double = await startDouble(() => ({ text: 'Hi' }))
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    for (let turn = 0; turn < 3; turn++) await outcomeOf(modelAt(double), { signal })
    expect(added).toHaveBeenCalledTimes(3)
    expect(removed).toHaveBeenCalledTimes(3)
  })
})

test.each([
  [
    'throws',
    (thrown: Error) => {
      throw thrown
    },
  ],
  ['rejects with', (thrown: Error) => Promise.reject(thrown)],
])('what the taker of an event %s is not taken for a failure of the model', async (_, take) => {
  const double = await startDouble([{ text: 'Hi' }])
  const thrown = new Error('The reader failed.')
  const turn = (await modelAt(double)).stream(requestOf(), () => take(thrown))
  await expect(turn).rejects.toBe(thrown)
})

test('the conversation reaches the provider with every result paired to its call', async () => {
  const double = await startDouble([{ text: 'Done' }])
  const { events } = await outcomeOf(modelAt(double), {
    tools: [search],
    messages: [
      { role: 'user', parts: [{ type: 'text', content: 'Boots?' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'x/1', name: 'search-products', input: { query: 'boots' } }],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool_result', toolCallId: 'x/1', name: 'search-products', output: { found: 2 } }],
      },
    ],
  })
  expect(textOf(events)).toBe('Done')
  expect((await double.received(0)).body['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 'call00001', function: { name: 'search-products' } }] },
    { role: 'tool', tool_call_id: 'call00001', content: '{"found":2}' },
  ])
})
