import { StringDecoder } from 'node:string_decoder'
import { APICallError } from 'ai'
import type { StopSignal } from '../../lib/stop-signal.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { PartStream, TurnPart, TurnSource } from '../turn-source.ts'
import type { Answer, Outgoing, Post } from './post.ts'
import { refusalOf } from './refusal.ts'
import { createBodyWriter } from './request-body.ts'
import { TurnReader } from './turn-reader.ts'

interface ChatCompletionsOptions {
  /** Without a slash at its end. */
  baseUrl: string
  model: string
  /** Null: none is sent. */
  apiKey: Secret | null
  post: Post
}

/** Turns of any server that speaks the chat-completions dialect, straight from the wire. */
export function chatCompletionsSource({ baseUrl, model, apiKey, post }: ChatCompletionsOptions): TurnSource {
  const url = new URL(`${baseUrl}/chat/completions`)
  const bodyOf = createBodyWriter(model)
  const headers = {
    'content-type': 'application/json',
    // Events are read as they come, and left in the middle: nothing is gained by packing them.
    'accept-encoding': 'identity',
    'user-agent': 'svc',
    ...(apiKey !== null && { authorization: `Bearer ${apiKey.reveal()}` }),
  }
  return {
    async start(call, signal) {
      const answer = await reach(post, url, { headers, body: bodyOf(call) }, signal)
      if (answer.status < 200 || answer.status > 299) throw await refusalOf(url, answer)
      return read(answer)
    },
  }
}

async function reach(post: Post, url: URL, outgoing: Outgoing, signal: StopSignal): Promise<Answer> {
  try {
    return await post(url, outgoing, signal)
  } catch (cause) {
    throw new APICallError({ message: 'not reached', cause, url: url.href, requestBodyValues: {}, isRetryable: true })
  }
}

// By hand, because a generator needs three promises for each piece of the answer.
function read({ body }: Answer): PartStream {
  const decoder = new StringDecoder('utf8')
  const reader = new TurnReader()
  const pieces = body?.[Symbol.asyncIterator]()
  let isOver = false
  const iterator: AsyncIterator<readonly TurnPart[], undefined> = {
    async next() {
      if (isOver) return { done: true, value: undefined }
      const piece = await pieces?.next()
      if (piece && !piece.done) return { done: false, value: reader.feed(decoder.write(piece.value)) }
      isOver = true
      return { done: false, value: reader.end() }
    },
    async return() {
      isOver = true
      await pieces?.return?.()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
