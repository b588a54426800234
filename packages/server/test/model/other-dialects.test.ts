import { describe, expect, test } from 'vitest'
import { openModel } from '../../src/model/open-model.ts'
import { KEY, networkOf, type Outcome, outcomeOf } from './support.ts'

const tools = [{ name: 'buy', description: 'Buy.', inputSchema: null }]

/** A turn of a provider whose server answers with these events and then ends the body. */
function turnOf(spec: string, events: readonly string[]): Promise<Outcome> {
  const env = { ANTHROPIC_API_KEY: KEY, GOOGLE_GENERATIVE_AI_API_KEY: KEY }
  const fetch = async () => new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } })
  return outcomeOf(openModel({ spec, env, limits: { modelMs: 10_000 }, network: networkOf(fetch) }), { tools })
}

const event = (value: { type?: string } & object) =>
  `${value.type === undefined ? '' : `event: ${value.type}\n`}data: ${JSON.stringify(value)}\n\n`

const anthropic = [
  {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content: [],
      usage: { input_tokens: 50, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Buying.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'tu', name: 'buy', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"id":' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '7}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 21 } },
  { type: 'message_stop' },
].map(event)

const google = [
  {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Buying.' }] } }],
    usageMetadata: { promptTokenCount: 50 },
  },
  { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'buy', args: { id: 7 } } }] } }] },
  {
    candidates: [{ finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 50, candidatesTokenCount: 21, totalTokenCount: 71 },
  },
].map(event)

describe.each([
  { spec: 'anthropic:claude-x', events: anthropic, whole: anthropic.length - 1 },
  { spec: 'google:gemini-x', events: google, whole: google.length },
])('a turn of $spec', ({ spec, events, whole }) => {
  test('has text, then calls, then the end', async () => {
    expect((await turnOf(spec, events)).events).toEqual([
      { type: 'text', content: 'Buying.' },
      { type: 'tool_call', name: 'buy', input: { id: 7 } },
      { type: 'end', reason: 'tool_calls', usage: { inputTokens: 50, outputTokens: 21 } },
    ])
  })

  test('that is cut before its end emits no call and reports its usage', async () => {
    for (let count = 1; count < whole; count++) {
      const { events: seen, error } = await turnOf(spec, events.slice(0, count))
      expect(seen.filter(({ type }) => type !== 'text')).toEqual([])
      expect(error).toMatchObject({ message: 'The model’s answer was cut off.', usage: { inputTokens: 50 } })
    }
  })
})
