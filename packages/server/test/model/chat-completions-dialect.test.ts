import { Readable } from 'node:stream'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Message } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aiSdkSource } from '../../src/model/ai-sdk-source.ts'
import { chatCompletionsSource } from '../../src/model/chat-completions/chat-completions-source.ts'
import type { ModelTool } from '../../src/model/model.ts'
import { providerModel } from '../../src/model/provider-model.ts'
import type { TurnSource } from '../../src/model/turn-source.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { KEY, type Outcome, outcomeOf, postBy } from './support.ts'

// Differential test: our client against the AI SDK's, over random conversations and streams.

const baseURL = 'http://model.test/v1'
const ours = (fetch: typeof globalThis.fetch) =>
  chatCompletionsSource({ baseUrl: baseURL, model: 'm "1"', apiKey: new Secret(KEY), post: postBy(fetch) })
const theirs = (fetch: typeof globalThis.fetch) =>
  aiSdkSource(
    createOpenAICompatible({ name: 'openai-compatible', baseURL, includeUsage: true, fetch, apiKey: KEY }).chatModel(
      'm "1"',
    ),
  )
type SourceOf = typeof ours

function outcome(source: TurnSource, request: Parameters<typeof outcomeOf>[1]): Promise<Outcome> {
  return outcomeOf(
    providerModel({ provider: 'p', name: 'n', limits: { modelMs: 10_000 }, secrets: [], source }),
    request,
  )
}

describe('a request', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 })
  const name = fc.constantFrom('search', 'a b/c', 'list-all')
  const id = fc.constantFrom('c1', 'c2', 'x/1')
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.record({
      role: fc.constantFrom('system' as const, 'user' as const),
      parts: fc.array(fc.record({ type: fc.constant('text' as const), content: text }), { maxLength: 2 }),
    }),
    fc.record({
      role: fc.constant('assistant' as const),
      parts: fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('text' as const), content: text }),
          fc.record({ type: fc.constant('tool_call' as const), id, name, input: fc.dictionary(text, fc.jsonValue()) }),
        ),
        { maxLength: 3 },
      ),
    }),
    fc.record({
      role: fc.constant('tool' as const),
      parts: fc.array(
        fc.record(
          {
            type: fc.constant('tool_result' as const),
            toolCallId: id,
            name,
            output: fc.jsonValue(),
            error: fc.record({ message: text }),
          },
          { requiredKeys: ['type', 'toolCallId', 'name', 'output'] },
        ),
        { minLength: 1, maxLength: 2 },
      ),
    }),
  )
  const tools: fc.Arbitrary<ModelTool[]> = fc.array(
    fc.record({
      name,
      description: text,
      inputSchema: fc.constantFrom(null, { properties: { q: {} } }, { type: 'array' }),
    }),
    { maxLength: 2 },
  )
  const requests = fc.record({ instructions: fc.option(text), messages: fc.array(message, { maxLength: 5 }), tools })

  test('is the same as the library’s, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const sent = async (sourceOf: SourceOf) => {
          const seen: unknown[] = []
          await outcome(
            sourceOf(async (url, init) => {
              const headers = new Headers(init?.headers)
              seen.push([
                String(url),
                init?.method,
                init?.body,
                headers.get('authorization'),
                headers.get('content-type'),
              ])
              return new Response('{}', { status: 400 })
            }),
            request,
          )
          return seen
        }
        expect(await sent(ours)).toEqual(await sent(theirs))
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})

describe('a stream', () => {
  const piece = fc.record(
    {
      index: fc.constantFrom(0, 1, 1, null),
      id: fc.constantFrom('c0', 'c1', '', null),
      function: fc.record(
        {
          name: fc.constantFrom('buy', 'search', ' ', null),
          arguments: fc.constantFrom('', '{', '"a":1', '}', '{}', 'null', null),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['function'] },
  )
  const content = fc.oneof(
    fc.constantFrom('', 'Hi', ' ünï ', null, '🎈'),
    fc.constantFrom([{ type: 'text', text: 'said' }], [{ type: 'thinking', thinking: [] }]),
  )
  const choice = fc.record(
    {
      delta: fc.option(
        fc.record(
          { role: fc.constant('assistant'), content, tool_calls: fc.option(fc.array(piece, { maxLength: 2 })) },
          { requiredKeys: [] },
        ),
      ),
      finish_reason: fc.constantFrom(null, null, null, 'stop', 'length', 'tool_calls', 'content_filter', 'eos'),
    },
    { requiredKeys: [] },
  )
  const usage = fc.record(
    { prompt_tokens: fc.constantFrom(0, 7, null), completion_tokens: fc.constantFrom(3, 40, null) },
    { requiredKeys: [] },
  )
  const chunk = fc.record(
    { id: fc.constant('c'), choices: fc.array(choice, { maxLength: 2 }), usage: fc.option(usage) },
    { requiredKeys: ['choices'] },
  )
  const broken = fc.constantFrom<unknown>({ error: { message: 'no' } }, { choices: 'none' }, 17, { choices: [3] })
  const data = fc.oneof(
    { weight: 12, arbitrary: chunk.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: broken.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constant('{"cut') },
  )
  const event = fc.tuple(data, fc.constantFrom('data: ', 'data:', ': note\ndata: ', 'event: x\ndata: '))
  const streams = fc.record({
    // A stream that begins with an error would be retried.
    events: fc.array(event, { maxLength: 8 }).map((events) => [['{"choices":[]}', 'data: '] as const, ...events]),
    newline: fc.constantFrom('\n', '\n', '\r\n'),
    ends: fc.boolean(),
    bytesAtOnce: fc.integer({ min: 1, max: 90 }),
  })

  test('gives the same events, usage and failure as the library, however it is cut into chunks', async () => {
    let [whole, failed] = [0, 0]
    await fc.assert(
      fc.asyncProperty(streams, async ({ events, newline, ends, bytesAtOnce }) => {
        const end = ends ? [['{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}', 'data: '] as const] : []
        const text = [...events, ...end].map(
          ([of, prefix]) => `${prefix.replaceAll('\n', newline)}${of}${newline}${newline}`,
        )
        const bytes = Buffer.from(text.join(''))
        const read = async (sourceOf: SourceOf) => {
          const { events: seen, error } = await outcome(
            sourceOf(async () => new Response(inPieces(bytes, bytesAtOnce))),
            {},
          )
          return { seen, failure: error?.message, usage: error?.usage, cause: causeOf(error) }
        }
        const [here, there] = [await read(ours), await read(theirs)]
        if (there.failure === undefined) whole += 1
        else failed += 1
        // On a call that is never named the AI SDK errors its stream, which drops the events that were not yet read.
        if (there.cause === 'AI_InvalidResponseDataError') here.seen.splice(there.seen.length)
        expect(here).toEqual(there)
      }),
      { seed: 2, numRuns: 400 },
    )
    expect(Math.min(whole, failed)).toBeGreaterThan(40)
  }, 60_000)
})

function causeOf(error: Outcome['error']): string | undefined {
  return error?.cause instanceof Error ? error.cause.message : undefined
}

function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
}

test('a turn that has failed hands over nothing of the pieces that have already come', async () => {
  const body = new Readable({ read() {} })
  const texts = ['Hi', 'late'].map((content) => ({ choices: [{ delta: { content } }] }))
  const chunks = [texts[0], { error: { message: 'broken' } }, texts[1]]
  for (const chunk of chunks) body.push(`data: ${JSON.stringify(chunk)}\n\n`)
  const post = async () => ({ statusCode: 200, statusText: 'OK', headers: {}, body })
  const { events, error } = await outcome(
    chatCompletionsSource({ baseUrl: baseURL, model: 'm', apiKey: new Secret(KEY), post }),
    {},
  )
  expect(events).toEqual([{ type: 'text', content: 'Hi' }])
  expect(error).not.toBeNull()
})

test.each([
  ['{"error":{"message":"No such model."}}', 'No such model.'],
  ['{"message":"No such model."}', 'No such model.'],
  ['<h1>No</h1>', 'Bad Request'],
])('a refusal with the body %s is told as %s', async (text, message) => {
  const post = async () => ({
    statusCode: 400,
    statusText: 'Bad Request',
    headers: {},
    body: Readable.from([Buffer.from(text)]),
  })
  const source = chatCompletionsSource({ baseUrl: baseURL, model: 'm', apiKey: new Secret(KEY), post })
  expect((await outcome(source, {})).error).toMatchObject({ cause: { message: `provider answered 400: ${message}` } })
})
