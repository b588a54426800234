import { describe, expect, test, vi } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import { ModelConfigError } from '../../src/model/model-spec.ts'
import { type OpenModelOptions, openModel } from '../../src/model/open-model.ts'
import { KEY, networkOf, outcomeOf, startDouble, textOf } from './support.ts'

function open(options: Partial<OpenModelOptions>): Promise<Model> {
  return openModel({ spec: undefined, env: {}, limits: { modelMs: 10_000 }, ...options })
}

function labelOf({ provider, name }: Model): string {
  return `${provider}:${name}`
}

describe('the model', () => {
  // holds MDL-01
  test.each([
    ['openai:gpt-x', { OPENAI_API_KEY: KEY }],
    ['anthropic:claude-x', { ANTHROPIC_API_KEY: KEY }],
    ['google:gemini-x', { GOOGLE_GENERATIVE_AI_API_KEY: KEY }],
    ['openai-compatible:org/model:free', { SVC_MODEL_BASE_URL: 'http://localhost:11434/v1' }],
    ['demo:rules', {}],
  ])('is the one that is named: %s', async (spec, env) => {
    expect(labelOf(await open({ spec, env }))).toBe(spec)
  })

  // holds MDL-05
  test.each([
    [{}, /^demo:rules$/],
    [{ ANTHROPIC_API_KEY: KEY }, /^anthropic:./],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: KEY }, /^google:./],
    [{ OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY }, /^openai:./],
    [{ OPENAI_API_KEY: '  ' }, /^demo:rules$/],
  ])('without a name is one that there is a key for, else the demo model (%#)', async (env, label) => {
    expect(labelOf(await open({ env }))).toMatch(label)
    expect(labelOf(await open({ env, spec: '' }))).toMatch(label)
  })

  test.each([
    ['gpt-x', {}, 'SVC_MODEL must be <provider>:<model>'],
    ['openai:', {}, 'SVC_MODEL must be <provider>:<model>'],
    ['no-provider:large', {}, 'Set one of openai, anthropic, google, openai-compatible, demo.'],
    ['constructor:x', {}, 'Set one of openai'],
    ['demo:gpt', {}, 'the built-in demo model is demo:rules'],
    ['openai:gpt-x', {}, 'needs OPENAI_API_KEY'],
    ['anthropic:claude-x', { OPENAI_API_KEY: KEY }, 'needs ANTHROPIC_API_KEY'],
    ['google:gemini-x', {}, 'needs GOOGLE_GENERATIVE_AI_API_KEY'],
    ['openai-compatible:m', { SVC_MODEL_API_KEY: KEY }, 'needs SVC_MODEL_BASE_URL'],
    ['openai-compatible:m', { SVC_MODEL_BASE_URL: KEY }, 'SVC_MODEL_BASE_URL must be an http:// or https:// address'],
    [undefined, { SVC_MODEL_API_KEY: KEY }, 'SVC_MODEL_API_KEY is set but SVC_MODEL is not'],
    ['demo:rules', { SVC_MODEL_FALLBACK: 'openai' }, 'SVC_MODEL_FALLBACK must be <provider>:<model>'],
  ])('that cannot be set up (%s) says what to set, and never a key', async (spec, env, message) => {
    const attempt = open({ spec, env })
    await expect(attempt).rejects.toThrow(ModelConfigError)
    await expect(attempt).rejects.toThrow(message)
    await expect(attempt).rejects.not.toThrow(KEY)
  })

  // holds MDL-02, SVC-01
  test('reads no variable but those that it is given', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/elsewhere')
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1/elsewhere')
    vi.stubEnv('GOOGLE_BASE_URL', 'http://127.0.0.1:1/elsewhere')
    const asked: string[] = []
    const fetch = async (input: string | URL | Request) => {
      asked.push(String(input instanceof Request ? input.url : input))
      return new Response('{}', { status: 400 })
    }
    const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GOOGLE_GENERATIVE_AI_API_KEY: KEY }
    for (const spec of ['openai:m', 'anthropic:m', 'google:m'])
      await outcomeOf(open({ spec, env, network: networkOf(fetch) }))
    vi.unstubAllEnvs()
    expect(asked).toEqual([
      'https://api.openai.com/v1/chat/completions',
      'https://api.anthropic.com/v1/messages',
      'https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse',
    ])
  })

  test('is asked for at the address that is set for its provider', async () => {
    const asked: string[] = []
    const fetch = async (input: string | URL | Request) => {
      asked.push(new URL(input instanceof Request ? input.url : input).origin)
      return new Response('{}', { status: 400 })
    }
    const keys = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GOOGLE_GENERATIVE_AI_API_KEY: KEY }
    const env = {
      ...keys,
      OPENAI_BASE_URL: 'http://a/v1',
      ANTHROPIC_BASE_URL: 'http://b',
      GOOGLE_BASE_URL: 'http://c/',
    }
    for (const spec of ['openai:m', 'anthropic:m', 'google:m'])
      await outcomeOf(open({ spec, env, network: networkOf(fetch) }))
    expect(asked).toEqual(['http://a', 'http://b', 'http://c'])
  })

  // holds MDL-03
  test('of a compatible server needs no key, and then sends none', async () => {
    const double = await startDouble([{ text: 'Hi' }])
    await outcomeOf(open({ spec: 'openai-compatible:m', env: { SVC_MODEL_BASE_URL: `${double.baseUrl}/` } }))
    expect((await double.received(0)).headers['authorization']).toBeUndefined()
  })

  test('that fails is logged with its name and cause', async () => {
    const double = await startDouble([{ fault: { type: 'status', status: 400, message: `no such model, ${KEY}` } }])
    const warn = vi.fn()
    const env = { SVC_MODEL_BASE_URL: double.baseUrl, SVC_MODEL_API_KEY: KEY }
    await outcomeOf(open({ spec: 'openai-compatible:m', env, logger: { warn } }))
    expect(warn.mock.calls).toEqual([
      [
        expect.objectContaining({
          provider: 'openai-compatible',
          model: 'm',
          cause: 'provider answered 400: no such model, [secret]',
        }),
        'model call failed',
      ],
    ])
  })
})

describe('a fallback model', () => {
  const env = (baseUrl: string) => ({
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: baseUrl,
    SVC_MODEL_BASE_URL: baseUrl,
    SVC_MODEL_FALLBACK: 'openai-compatible:second',
  })

  test('answers where the first fails before its first event', async () => {
    const double = await startDouble([{ fault: { type: 'status', status: 400 } }, { text: 'From the second' }])
    const model = await open({ spec: 'openai:first', env: env(double.baseUrl) })
    const { events, error } = await outcomeOf(model)
    expect(error).toBeNull()
    expect(textOf(events)).toBe('From the second')
    expect(double.requests.map((request) => request.body['model'])).toEqual(['first', 'second'])
    expect(labelOf(model)).toBe('openai:first')
  })

  test('answers for calls that were cut off too, and the turn costs what both cost', async () => {
    const usage = { inputTokens: 20, outputTokens: 3 }
    const double = await startDouble([
      { toolCalls: [{ name: 'buy', input: {} }], finishReason: null, done: false, usage },
      { text: 'Sorry.', usage: { inputTokens: 9, outputTokens: 1 } },
    ])
    const { events } = await outcomeOf(open({ spec: 'openai:first', env: env(double.baseUrl) }))
    expect(events).toEqual([
      { type: 'text', content: 'Sorry.' },
      { type: 'end', reason: 'stop', usage: { inputTokens: 29, outputTokens: 4 } },
    ])
  })

  test('is not asked once the first has begun, nor for a caller who has disconnected', async () => {
    const double = await startDouble([
      { text: 'Half', finishReason: null, done: false },
      { fault: { type: 'stall', before: 'headers' } },
    ])
    const model = await open({ spec: 'openai:first', env: env(double.baseUrl) })
    expect((await outcomeOf(model)).error?.message).toBe('The model’s answer was cut off.')
    const caller = new AbortController()
    const outcome = outcomeOf(model, { signal: caller.signal })
    await double.received(1)
    caller.abort()
    expect((await outcome).error?.message).toBe('The model call was cancelled.')
    expect(double.requests).toHaveLength(2)
  })

  test('that fails as well reports its own failure', async () => {
    const double = await startDouble([
      { fault: { type: 'status', status: 400 } },
      { fault: { type: 'status', status: 401 } },
    ])
    const { error } = await outcomeOf(open({ spec: 'openai:first', env: env(double.baseUrl) }))
    expect(error?.message).toBe('The model provider refused the service’s credential.')
  })
})
