import { Pool } from 'undici'

/** A response as its caller has it after the connection has ended. */
export interface ClientReply {
  /** 0 where no whole answer came. */
  status: number
  /** Of the head of the answer, which may have broken off; 0 where none came. */
  headStatus: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** As much of the body as arrived. */
  text: string
  /** Why the connection ended before the answer did; null where it did not. */
  connectionError: string | null
}

export interface ClientRequest {
  /** POST where none is named. */
  method?: 'GET' | 'POST' | 'PUT'
  path: string
  key?: string | undefined
  /** Sent as JSON. */
  body?: unknown
  /** JSON text, in place of a body. */
  text?: string
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
  /** Called as soon as the head of the answer is there. */
  onHead?: () => void
}

export type Client = ReturnType<typeof createClient>

/** A caller with so many connections of its own, null for as many as are needed; nothing is sent twice. */
export function createClient(url: string, connections: number | null = 64) {
  const pool = new Pool(url, {
    connections,
    pipelining: 1,
    headersTimeout: 330_000,
    bodyTimeout: 330_000,
    // Before the server closes what is idle.
    keepAliveMaxTimeout: 10_000,
    // A thousand connections at once take a busy server longer than the library waits.
    connect: { timeout: 60_000 },
  })
  return {
    url,
    async send({ method = 'POST', path, signal, onHead, ...rest }: ClientRequest): Promise<ClientReply> {
      const { key, body, text = body === undefined ? undefined : JSON.stringify(body), headers } = rest
      const reply: ClientReply = { status: 0, headStatus: 0, headers: {}, text: '', connectionError: null }
      const sent = {
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      }
      try {
        const given = { ...(text !== undefined && { body: text }), ...(signal && { signal }) }
        const answer = await pool.request({ method, path, headers: sent, ...given })
        reply.headStatus = answer.statusCode
        reply.headers = answer.headers
        onHead?.()
        for await (const piece of answer.body.setEncoding('utf8')) reply.text += String(piece)
        reply.status = answer.statusCode
      } catch (error) {
        reply.connectionError = error instanceof Error ? error.message : String(error)
      }
      return reply
    },
    close: () => pool.destroy(),
  }
}

/** The value of a JSON text; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
