import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { type DoubleScript, type OpenAiDouble, startOpenAiDouble } from '@svc/testkit'
import { afterEach } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import type { Post } from '../../src/model/chat-completions/post.ts'
import { type Model, ModelError, type ModelEvent, type ModelRequest } from '../../src/model/model.ts'
import { openModel } from '../../src/model/open-model.ts'
import type { ProviderNetwork } from '../../src/model/providers.ts'

export const KEY = 'sk-canary-5f2c9a'

const doubles: OpenAiDouble[] = []

afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()))
})

export async function startDouble(script: DoubleScript): Promise<OpenAiDouble> {
  const double = await startOpenAiDouble({ script })
  doubles.push(double)
  return double
}

export async function modelAt(
  double: OpenAiDouble,
  options: { provider?: 'openai' | 'openai-compatible'; modelMs?: number } = {},
): Promise<Model> {
  const { provider = 'openai-compatible', modelMs = DEFAULT_LIMITS.modelMs } = options
  const env = {
    SVC_MODEL_BASE_URL: double.baseUrl,
    SVC_MODEL_API_KEY: KEY,
    OPENAI_BASE_URL: double.baseUrl,
    OPENAI_API_KEY: KEY,
  }
  return openModel({ spec: `${provider}:test-model`, env, limits: { modelMs } })
}

/** A network for `openModel` on which `fetch` answers every request. */
export function networkOf(fetch: typeof globalThis.fetch): ProviderNetwork {
  return { fetch, post: postBy(fetch) }
}

/** Makes a `Post` of a `fetch`. */
export function postBy(fetch: typeof globalThis.fetch): Post {
  return async (url, content, signal) => {
    const controller = new AbortController()
    signal.addEventListener('abort', () => controller.abort())
    const response = await fetch(url, { method: 'POST', ...content, signal: controller.signal })
    const { status: statusCode, statusText, body } = response
    const readable = body === null ? Readable.from([]) : Readable.fromWeb(body as WebStream)
    return { statusCode, statusText, body: readable, headers: Object.fromEntries(response.headers) }
  }
}

export function requestOf(request: Partial<ModelRequest> = {}): ModelRequest {
  return {
    instructions: null,
    messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }],
    tools: [],
    signal: new AbortController().signal,
    ...request,
  }
}

export interface Outcome {
  events: ModelEvent[]
  error: ModelError | null
}

/** The events of a whole turn, and its ModelError. Rejects with any other error, which fails the test. */
export async function outcomeOf(model: Model | Promise<Model>, request: Partial<ModelRequest> = {}): Promise<Outcome> {
  const events: ModelEvent[] = []
  try {
    await (await model).stream(requestOf(request), (event) => void events.push(event))
    return { events, error: null }
  } catch (error) {
    if (error instanceof ModelError) return { events, error }
    throw error
  }
}

export function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.content : '')).join('')
}

/** An error, its causes and their properties as text, to search it for secrets. */
export function printedOf(error: Error | null): string {
  const parts: string[] = []
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    parts.push(at.stack ?? '', JSON.stringify(at, Object.getOwnPropertyNames(at)))
  }
  return parts.join('\n')
}
