import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { listenOnFreePort } from '@svc/testkit'

/** What a model sends in answer to one request. */
export interface ModelPlay {
  /** An error answer in place of a stream. */
  refusal?: { status: number; headers?: Readonly<Record<string, string>> }
  /** Sent one after the other, each after its pause. */
  pieces: readonly { pauseMs: number; bytes: Uint8Array }[]
  /** An orderly end, a dropped connection, or nothing more for as long as the client stays. */
  end: 'end' | 'drop' | 'stall'
}

/** One request as the double saw it. Times are of `performance.now()`. */
export interface ModelExchange {
  /** What stands behind `tag:` in the conversation. */
  tag: string
  /** Position among the requests of its tag, from 0. */
  index: number
  arrivedAt: number
  /** When each piece had been handed to the socket, in the order of the play. */
  sentAt: readonly number[]
  /** Null while the connection is held. */
  closedAt: number | null
  /** Whether the client left before the play was over. */
  wasLeft: boolean
}

export interface ModelDouble {
  /** What a server has to be told to use it. */
  serverEnv: Readonly<Record<string, string>>
  exchanges: readonly ModelExchange[]
  close(): Promise<void>
}

interface OpenExchange extends ModelExchange {
  sentAt: number[]
}

// A connection that drops takes with it what its reader has not fetched yet.
const BEFORE_DROP_MS = 200

/** An OpenAI-compatible model that plays bytes and notes times, and keeps nothing of what it is told but the tag. */
export async function startModelDouble(play: (tag: string, index: number) => ModelPlay): Promise<ModelDouble> {
  const exchanges: OpenExchange[] = []
  const counts = new Map<string, number>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const tag = /tag:([\w-]+)/.exec(await textOf(request))?.[1] ?? ''
    const index = counts.get(tag) ?? 0
    counts.set(tag, index + 1)
    const exchange: OpenExchange = {
      tag,
      index,
      arrivedAt: performance.now(),
      sentAt: [],
      closedAt: null,
      wasLeft: true,
    }
    exchanges.push(exchange)
    response.once('close', () => {
      exchange.closedAt = performance.now()
    })
    await perform(response, play(tag, index), exchange)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const { url, close } = await listenOnFreePort(server)
  return {
    serverEnv: { SVC_MODEL: 'openai-compatible:double', SVC_MODEL_BASE_URL: `${url}/v1` },
    exchanges,
    close,
  }
}

async function perform(response: ServerResponse, play: ModelPlay, exchange: OpenExchange): Promise<void> {
  if (play.refusal) {
    exchange.wasLeft = false
    const { status, headers = {} } = play.refusal
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end('{"error":{"message":"Refused as scripted.","type":"scripted","param":null,"code":null}}')
    return
  }
  if (play.pieces.length > 0 || play.end !== 'stall') {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
    response.flushHeaders()
  }
  for (const { pauseMs, bytes } of play.pieces) {
    if (pauseMs > 0) await pause(pauseMs)
    if (response.destroyed) return
    await write(response, bytes)
    exchange.sentAt.push(performance.now())
  }
  if (play.end === 'stall') return
  if (play.end === 'drop') await pause(BEFORE_DROP_MS)
  exchange.wasLeft = response.destroyed
  if (play.end === 'drop') response.destroy()
  else response.end()
}

function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0 || response.destroyed) return Promise.resolve()
  return new Promise((resolve) => response.write(bytes, () => resolve()))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
