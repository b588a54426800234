import { type Dispatcher, Pool } from 'undici'

/** An answer, or why there is none: what the client of an interrupted server sees. */
export type Heard =
  | { kind: 'answer'; status: number; headers: Readonly<Record<string, string | string[] | undefined>>; text: string }
  /** `partial` is as much of the body as arrived. */
  | { kind: 'broken'; reason: string; partial: string }

export interface Client {
  send(request: ClientRequest): Promise<Heard>
  close(): Promise<void>
}

export interface ClientRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  key?: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, as a JSON body, in place of one. */
  text?: string
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

/** A caller with so many connections of its own; nothing is sent twice. */
export function createClient(url: string, connections = 64): Client {
  const pool = new Pool(url, {
    connections,
    pipelining: 1,
    headersTimeout: 330_000,
    bodyTimeout: 330_000,
    // A thousand connections at once take a busy server longer than the library waits.
    connect: { timeout: 60_000 },
  })
  return {
    async send(request) {
      let text = ''
      try {
        const answer = await pool.request(toPoolRequest(request))
        for await (const piece of answer.body.setEncoding('utf8')) text += String(piece)
        return { kind: 'answer', status: answer.statusCode, headers: answer.headers, text }
      } catch (error) {
        return { kind: 'broken', reason: error instanceof Error ? error.message : String(error), partial: text }
      }
    },
    close: () => pool.destroy(),
  }
}

function toPoolRequest({ method, path, key, body, text, headers, signal }: ClientRequest): Dispatcher.RequestOptions {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  return {
    method,
    path,
    headers: {
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
    ...(signal === undefined ? {} : { signal }),
  }
}
