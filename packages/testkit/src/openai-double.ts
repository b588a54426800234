import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { playTurn } from './openai-playback.ts'
import type { DoubleTurn } from './openai-turn.ts'

/** A request as the double received it. */
export interface RecordedModelRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Readonly<Record<string, unknown>>
  /** How the exchange ended: the answer went out as scripted, or the client left before that. */
  ended: Promise<ExchangeEnd>
}

export type ExchangeEnd = 'answered' | 'client left'

/** One turn for each request: from a list, in order, or from a function. */
export type DoubleScript = readonly DoubleTurn[] | ((request: RecordedModelRequest, index: number) => DoubleTurn)

export interface OpenAiDouble {
  /** The base address for a client: `http://127.0.0.1:<port>/v1`. */
  baseUrl: string
  requests: readonly RecordedModelRequest[]
  /** Resolves with the request of this index (the first is 0) once it has arrived. */
  received(index: number): Promise<RecordedModelRequest>
  /** Closes stalled answers too, and frees the port. */
  close(): Promise<void>
}

/** Starts a fake of an OpenAI-compatible chat-completions service on a free port of the loopback address. */
export async function startOpenAiDouble(options: { script: DoubleScript }): Promise<OpenAiDouble> {
  const requests: RecordedModelRequest[] = []
  const waiting = new Map<number, ((request: RecordedModelRequest) => void)[]>()

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = watch(response)
    const request = {
      path: message.url ?? '',
      headers: message.headers,
      body: await bodyOf(message),
      ended: exchange.ended,
    }
    const index = requests.push(request) - 1
    for (const resolve of waiting.get(index) ?? []) resolve(request)
    waiting.delete(index)
    const turn = refusalOf(request) ?? turnAt(options.script, request, index)
    await playTurn({ response, markAnswered: exchange.markAnswered }, turn, String(request.body['model']))
  }

  const server = createServer((message, response) => {
    answer(message, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  const { url, close } = await listenOnFreePort(server)
  return {
    baseUrl: `${url}/v1`,
    requests,
    received(index) {
      const request = requests[index]
      if (request !== undefined) return Promise.resolve(request)
      return new Promise((resolve) => waiting.set(index, [...(waiting.get(index) ?? []), resolve]))
    },
    close,
  }
}

interface Exchange {
  ended: Promise<ExchangeEnd>
  markAnswered(): void
}

function watch(response: ServerResponse): Exchange {
  let end: ExchangeEnd = 'client left'
  const markAnswered = () => {
    end = 'answered'
  }
  response.once('finish', markAnswered)
  const ended = new Promise<ExchangeEnd>((resolve) => response.once('close', () => resolve(end)))
  return { ended, markAnswered }
}

async function bodyOf(message: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const pieces: Uint8Array[] = []
  for await (const piece of message) pieces.push(piece)
  const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8') || '{}')
  if (typeof parsed !== 'object' || parsed === null) return {}
  return Object.fromEntries(Object.entries(parsed))
}

function refusalOf(request: RecordedModelRequest): DoubleTurn | null {
  if (request.path !== '/v1/chat/completions') return refusal(404, `The double does not serve ${request.path}.`)
  if (request.body['stream'] !== true) return refusal(400, 'The double only streams: send stream: true.')
  return null
}

function turnAt(script: DoubleScript, request: RecordedModelRequest, index: number): DoubleTurn {
  if (typeof script === 'function') return script(request, index)
  return script[index] ?? refusal(400, `The script has ${script.length} turns; this is request ${index + 1}.`)
}

function refusal(status: number, message: string): DoubleTurn {
  return { fault: { type: 'status', status, message } }
}
