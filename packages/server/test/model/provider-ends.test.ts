import { describe, expect, test, vi } from 'vitest'
import { openModel } from '../../src/model/open-model.ts'
import { KEY, networkOf, type Outcome, outcomeOf, textOf } from './support.ts'

// How turns end, for bodies written out in each provider's format. The provider of a spec, such as google:m, chooses it.

const tools = [{ name: 'buy', description: 'Buy.', inputSchema: null }]
const env = {
  OPENAI_API_KEY: KEY,
  ANTHROPIC_API_KEY: KEY,
  GOOGLE_GENERATIVE_AI_API_KEY: KEY,
  SVC_MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
}

/** One turn. Each try gets the next body, or the last one again. The clock is moved over the pauses between tries. */
async function turnOf(spec: string, ...bodies: readonly (string | Response)[]): Promise<Outcome & { tries: number }> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const fetch = vi.fn(async () => {
    const body = bodies[Math.min(fetch.mock.calls.length, bodies.length) - 1] ?? ''
    return body instanceof Response ? body.clone() : new Response(body)
  })
  const outcome = outcomeOf(openModel({ spec, env, limits: { modelMs: 120_000 }, network: networkOf(fetch) }), {
    tools,
  })
  await vi.advanceTimersByTimeAsync(10_000)
  vi.useRealTimers()
  return { ...(await outcome), tries: fetch.mock.calls.length }
}

const data = (...events: readonly unknown[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const said = (content: string) => ({ choices: [{ index: 0, delta: { content } }] })
const call = { index: 0, id: 'c', function: { name: 'buy', arguments: '{"id":7}' } }
const calling = { choices: [{ index: 0, delta: { tool_calls: [call] } }] }
const ended = (finish_reason: string, rest: object = {}) => ({
  choices: [{ index: 0, delta: {}, finish_reason }],
  ...rest,
})
const usage = { prompt_tokens: 50, completion_tokens: 21, total_tokens: 71 }
const reported = { choices: [], usage }
const DONE = 'data: [DONE]\n\n'

const COMPATIBLE = 'openai-compatible:m'
const WITHHELD = 'The model provider withheld the answer.'
const NOT_AVAILABLE = 'The model is not available at the moment.'
const BROKE_OFF = 'The model provider reported an error within the answer.'
const MALFORMED = 'The model wrote a capability call that its provider could not read.'
const NO_END = 'The model ended its answer for a reason that is no end.'
const CUT_OFF = 'The model’s answer was cut off.'

const google = (...candidates: readonly object[]) =>
  data(
    ...candidates.map((candidate) => ({
      candidates: [candidate],
      usageMetadata: { promptTokenCount: 50, candidatesTokenCount: 21 },
    })),
  )
const googleCall = {
  content: { role: 'model', parts: [{ text: 'Buying.' }, { functionCall: { name: 'buy', args: {} } }] },
}

const start = (counted: object) => ({
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [], usage: counted },
})
const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Buying.' })
const ownCall = block(
  1,
  { type: 'tool_use', id: 'tu', name: 'buy', input: {} },
  { type: 'input_json_delta', partial_json: '{"id":7}' },
)
const stopped = (stop_reason: string) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 21 } },
  { type: 'message_stop' },
]
const anthropic = (reason: string) =>
  data(start({ input_tokens: 50, output_tokens: 1 }), ...text, ...ownCall, ...stopped(reason))

describe('a turn that did not end well', () => {
  test.each([
    ['openai:m', 'insufficient_system_resource', NOT_AVAILABLE],
    [COMPATIBLE, 'insufficient_system_resource', NOT_AVAILABLE],
    [COMPATIBLE, 'error', BROKE_OFF],
    [COMPATIBLE, 'content_filter', WITHHELD],
    [COMPATIBLE, 'abort', NO_END],
  ])('of %s by “%s” fails, keeps its text and runs none of its calls', async (spec, reason, message) => {
    const turn = await turnOf(spec, data(said('Buying.'), calling, ended(reason), reported) + DONE)
    expect(turn.events).toEqual([{ type: 'text', content: 'Buying.' }])
    expect(turn.error).toMatchObject({ message, usage: { inputTokens: 50, outputTokens: 21 } })
    expect(turn.tries).toBe(1)
  })

  test.each([
    ['MALFORMED_FUNCTION_CALL', MALFORMED],
    ['OTHER', NO_END],
    ['SAFETY', WITHHELD],
    ['A_REASON_OF_TOMORROW', NO_END],
  ])('of Google by “%s” fails, keeps its text and runs none of its calls', async (finishReason, message) => {
    const turn = await turnOf('google:m', google(googleCall, { finishReason }))
    expect(turn.events).toEqual([{ type: 'text', content: 'Buying.' }])
    expect(turn.error).toMatchObject({ message, usage: { inputTokens: 50, outputTokens: 21 } })
  })

  test('of Google because the prompt was blocked says so', async () => {
    const turn = await turnOf('google:m', data({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }))
    expect([turn.events, turn.error?.message]).toEqual([[], WITHHELD])
  })

  test.each([
    ['refusal', WITHHELD],
    ['pause_turn', NO_END],
  ])('of Anthropic by “%s” fails, keeps its text and runs none of its calls', async (reason, message) => {
    const turn = await turnOf('anthropic:m', anthropic(reason))
    expect(turn.events).toEqual([{ type: 'text', content: 'Buying.' }])
    expect(turn.error?.message).toBe(message)
  })

  test.each([
    ['beside its choices', ended('stop', { error: { code: 502, message: 'upstream' } })],
    [
      'within its choice',
      { choices: [{ delta: {}, error: { code: 502, message: 'upstream' }, finish_reason: 'stop' }] },
    ],
  ])('by an error %s fails, keeps its text and runs none of its calls', async (_place, error) => {
    const turn = await turnOf(COMPATIBLE, data(said('Buying.'), calling, error) + DONE)
    expect(turn.events).toEqual([{ type: 'text', content: 'Buying.' }])
    expect(turn.error?.message).toBe(CUT_OFF)
  })

  test.each(['length', 'model_length'])('but one ended by “%s” ran into its length limit', async (reason) => {
    const turn = await turnOf(COMPATIBLE, data(said('Buying.'), calling, ended(reason), reported) + DONE)
    expect(turn.events.slice(1)).toEqual([
      { type: 'end', reason: 'length', usage: { inputTokens: 50, outputTokens: 21 } },
    ])
  })
})

describe('variants of the chat-completions dialect', () => {
  const end = ended('stop')

  test.each<[string, string]>([
    ['a refusal is text', data({ choices: [{ delta: { content: null, refusal: 'Buying.' } }] }, end)],
    ['a byte order mark', `\uFEFF${data(said('Buying.'), end)}`],
    ['an error that is null', data({ ...said('Buying.'), error: null }, end)],
    ['usage without choices', data(said('Buying.'), end, { usage: {} })],
    ['an empty finish reason with every piece', data(ended(''), said('Buying.'), ended(''), end)],
    ['pings', `: ping\n\nevent: ping\ndata: pong\n\ndata:\n\n${data({ type: 'ping' }, said('Buying.'), end)}`],
    ['a [DONE] without a reason', data(said('Buying.')) + DONE],
    ['reasoning in the answer', data(said('<think>Should I?</think>\n\nBuying.'), end)],
    ['reasoning after white space', data(said('\n<think>\n</think>Buying.'), end)],
  ])('%s', async (_what, body) => {
    const turn = await turnOf(COMPATIBLE, body)
    expect(turn.error).toBeNull()
    expect(textOf(turn.events)).toBe('Buying.')
    expect(turn.events.at(-1)).toMatchObject({ type: 'end', reason: 'stop' })
  })

  test('arguments that are a value', async () => {
    const delta = { tool_calls: [{ index: 0, id: 'c', function: { name: 'buy', arguments: { id: 7 } } }] }
    const { events } = await turnOf(COMPATIBLE, data({ choices: [{ delta }] }, ended('tool_calls')))
    expect(events[0]).toEqual({ type: 'tool_call', name: 'buy', input: { id: 7 } })
  })

  test('reasoning is removed however it is cut into chunks, and later tags are text', async () => {
    const whole = ' <think>a < b </thin</think> \n Is <think> a <b> tag?'
    for (let at = 1; at < whole.length; at += 1) {
      const pieces = [whole.slice(0, at), whole.slice(at, at + 3), whole.slice(at + 3)]
      const { events } = await turnOf(COMPATIBLE, data(...pieces.map(said), end))
      expect({ at, text: textOf(events) }).toEqual({ at, text: 'Is <think> a <b> tag?' })
    }
  })

  test.each(['<thin', ' <', '<b>bold</b>', '   '])('“%s” is no reasoning', async (content) => {
    expect(textOf((await turnOf(COMPATIBLE, data(said(content), end))).events)).toBe(content)
  })

  test('a [DONE] alone ends nothing', async () => {
    expect((await turnOf(COMPATIBLE, DONE)).error?.message).toMatch(/something other than a stream/)
  })
})

describe('an error under 200 before anything else', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const limited = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } }
  const unavailable = { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }

  test.each([
    [COMPATIBLE, data({ error: { message: 'busy', code: 503 } }), data(said('Hi'), ended('stop'))],
    [COMPATIBLE, JSON.stringify({ error: { message: 'busy', code: 503 } }), data(said('Hi'), ended('stop'))],
    [COMPATIBLE, data(ended('error', { error: { code: 502, message: 'bad' } })), data(said('Hi'), ended('stop'))],
    ['anthropic:m', data(overloaded), anthropic('end_turn')],
    ['anthropic:m', data(limited), anthropic('end_turn')],
    ['google:m', data(unavailable), google(googleCall, { finishReason: 'STOP' })],
  ])('is retried like its status (%s, %s)', async (spec, error, answer) => {
    const { events, error: failure, tries } = await turnOf(spec, error, answer)
    expect([failure, tries, events.at(-1)?.type]).toEqual([null, 2, 'end'])
  })

  test.each([
    [COMPATIBLE, { error: { message: 'no', type: 'rate_limit_error' } }, 3, 'The model is rate limited at the moment.'],
    [COMPATIBLE, { error: 'no such thing' }, 3, NOT_AVAILABLE],
    [COMPATIBLE, { error: { message: 'no', code: '401' } }, 1, 'The model provider refused the service’s credential.'],
    [COMPATIBLE, { object: 'error', message: 'no', code: 400 }, 1, 'The model provider refused the request.'],
    ['anthropic:m', limited, 3, 'The model is rate limited at the moment.'],
    ['google:m', { error: { code: 400, status: 'INVALID_ARGUMENT' } }, 1, 'The model provider refused the request.'],
  ])('is reported like its status (%s, %j)', async (spec, error, tries, message) => {
    const turn = await turnOf(spec, data(error))
    expect([turn.error?.message, turn.tries]).toEqual([message, tries])
  })

  test.each(['openai:m', COMPATIBLE, 'anthropic:m', 'google:m'])(
    'or an answer that is no stream, is reported (%s)',
    async (spec) => {
      for (const body of ['<!doctype html><title>Welcome</title>', '{"object":"chat.completion","choices":[]}']) {
        const turn = await turnOf(spec, body)
        expect(turn.error?.message).toBe('The model provider answered with something other than a stream of events.')
        expect(turn.tries).toBe(1)
      }
    },
  )
})

describe('a refusal', () => {
  const refused = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })
  const key = { reason: 'API_KEY_INVALID', domain: 'googleapis.com' }
  const invalidKey = { error: { code: 400, message: 'Pass a valid key.', status: 'INVALID_ARGUMENT', details: [key] } }
  const CREDENTIAL = 'The model provider refused the service’s credential.'

  test('because a quota is used up is not retried', async () => {
    const error = {
      message: 'You exceeded your current quota.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }
    for (const response of [refused(429, { error }), refused(402, { error: { message: 'Insufficient Balance' } })]) {
      const turn = await turnOf('openai:m', response)
      expect([turn.error?.message, turn.tries]).toEqual(['The service’s quota at the model provider is used up.', 1])
    }
  })

  test('by Google of a key with status 400 is a refused credential', async () => {
    expect((await turnOf('google:m', refused(400, invalidKey))).error?.message).toBe(CREDENTIAL)
    expect((await turnOf(COMPATIBLE, refused(400, [invalidKey]))).error?.message).toBe(CREDENTIAL)
  })

  test('by xAI of a key with status 400 and a plain text is a refused credential', async () => {
    const code = 'Client specified an invalid argument'
    const error = 'Incorrect API key provided: ke**ey. You can obtain an API key from https://console.x.ai.'
    expect(await turnOf(COMPATIBLE, refused(400, { code, error }))).toMatchObject({
      error: { message: CREDENTIAL },
      tries: 1,
    })
    const argument = { code, error: 'The model does not take this temperature.' }
    expect((await turnOf(COMPATIBLE, refused(400, argument))).error?.message).not.toBe(CREDENTIAL)
  })
})

describe('tokens', () => {
  const beside = { ...usage, total_tokens: 171, completion_tokens_details: { reasoning_tokens: 100 } }
  const within = { ...usage, completion_tokens_details: { reasoning_tokens: 20 } }
  const miscounted = { ...usage, completion_tokens_details: { reasoning_tokens: 22 } }
  const untotalled = { ...miscounted, total_tokens: undefined }
  const counted = { input_tokens: 3, cache_creation_input_tokens: 7, cache_read_input_tokens: 40, output_tokens: 21 }

  test.each<[string, string, string, number]>([
    ['reasoning beside the text', COMPATIBLE, data(said('Hi'), ended('stop', { usage: beside })), 121],
    ['reasoning within the text', COMPATIBLE, data(said('Hi'), ended('stop', { usage: within })), 21],
    ['more reasoning than the total', COMPATIBLE, data(said('Hi'), ended('stop', { usage: miscounted })), 21],
    ['more reasoning than text, no total', COMPATIBLE, data(said('Hi'), ended('stop', { usage: untotalled })), 43],
    ['a report of Groq’s', COMPATIBLE, data(said('Hi'), ended('stop', { x_groq: { usage } })), 21],
    ['a report in the choice', COMPATIBLE, data({ choices: [{ delta: {}, finish_reason: 'stop', usage }] }), 21],
    ['Anthropic’s cache', 'anthropic:m', data(start(counted), ...text, ...stopped('end_turn')), 21],
    [
      'Google’s reasoning',
      'google:m',
      data({
        candidates: [{ ...googleCall, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 50, candidatesTokenCount: 21, thoughtsTokenCount: 9 },
      }),
      30,
    ],
  ])('count as reported: %s', async (_what, spec, body, outputTokens) => {
    const { events } = await turnOf(spec, body)
    expect(events.at(-1)).toMatchObject({ type: 'end', usage: { inputTokens: 50, outputTokens } })
  })

  test('of a turn that was cut include Anthropic’s cache', async () => {
    const turn = await turnOf('anthropic:m', data(start({ ...counted, output_tokens: 1 }), ...text))
    expect(turn.error).toMatchObject({ message: CUT_OFF, usage: { inputTokens: 50, outputTokens: 1 } })
  })
})

test('a call that the provider makes itself is not handed over', async () => {
  const search = { type: 'server_tool_use', id: 'st', name: 'web_search', input: {} }
  const query = { type: 'input_json_delta', partial_json: '{"query":"boots"}' }
  const body = data(start({ input_tokens: 50 }), ...block(0, search, query), ...ownCall, ...stopped('tool_use'))
  const { events } = await turnOf('anthropic:m', body)
  expect(events).toEqual([
    { type: 'tool_call', name: 'buy', input: { id: 7 } },
    { type: 'end', reason: 'tool_calls', usage: { inputTokens: 50, outputTokens: 21 } },
  ])
})
