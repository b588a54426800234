import { APICallError } from 'ai'
import type { Secret } from '../../secrets/secret.ts'
import { errorIn, jsonIn, messageOf } from '../provider-error.ts'
import type { TurnSource } from '../turn-source.ts'
import type { Post, ProviderResponse } from './post.ts'
import { readParts } from './read-parts.ts'
import { createBodyWriter } from './request-body.ts'

interface ChatCompletionsOptions {
  /** Without a slash at its end. */
  baseUrl: string
  model: string
  /** Null: no authorization header is sent. */
  apiKey: Secret | null
  post: Post
}

/** A client of any server that speaks the chat-completions dialect. */
export function chatCompletionsSource({ baseUrl, model, apiKey, post }: ChatCompletionsOptions): TurnSource {
  const url = new URL(`${baseUrl}/chat/completions`)
  const bodyOf = createBodyWriter(model)
  const headers = {
    'content-type': 'application/json',
    // A compressor holds events back until its buffer is full.
    'accept-encoding': 'identity',
    'user-agent': 'svc',
    ...(apiKey !== null && { authorization: `Bearer ${apiKey.reveal()}` }),
  }
  return {
    async read(call, emit, signal) {
      const response = await post(url, { headers, body: bodyOf(call) }, signal).catch((cause) => {
        const facts = { url: url.href, requestBodyValues: {}, isRetryable: true }
        throw new APICallError({ message: 'not reached', cause, ...facts })
      })
      if (response.statusCode < 200 || response.statusCode > 299) throw await apiErrorOf(url, response)
      await readParts(response.body, emit)
    },
  }
}

const MAX_ERROR_BODY_CHARACTERS = 64 * 1024

async function apiErrorOf(
  url: URL,
  { statusCode, statusText, headers, body }: ProviderResponse,
): Promise<APICallError> {
  const responseBody = await startOf(body).catch(() => '')
  const reported = jsonIn(responseBody)
  return new APICallError({
    message: messageOf(errorIn(reported) ?? reported) ?? statusText,
    url: url.href,
    requestBodyValues: {},
    statusCode,
    responseHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    responseBody,
  })
}

async function startOf(body: ProviderResponse['body']): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MAX_ERROR_BODY_CHARACTERS) break
  }
  return text
}
