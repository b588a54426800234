import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import type { StopSignal } from '../../lib/stop-signal.ts'

/** The response of a provider, once its headers have arrived. Destroying the body early closes the connection. */
export interface ProviderResponse {
  statusCode: number
  statusText: string
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  body: Readable
}

interface PostContent {
  headers: Readonly<Record<string, string>>
  body: string
}

/** Posts to a provider. Rejects where no response arrives; a body that breaks off emits an error. */
export type Post = (url: URL, content: PostContent, signal: StopSignal) => Promise<ProviderResponse>

const MAX_REDIRECTIONS = 20
const CONNECT_MS = 10_000
// Many servers close an idle connection after five seconds: ours is closed first.
const IDLE_MS = 4_000

/** Posts over keep-alive connections. Node's own client, not fetch: undici parses in JavaScript, slower for each event. */
export function createPost(): Post {
  const options = { keepAlive: true, timeout: IDLE_MS }
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) }
  return async (url, { headers, body }, signal) => {
    let to = url
    for (let redirections = 0; ; redirections += 1) {
      const sent = to.origin === url.origin ? headers : withoutKey(headers)
      const answer = await send(agents, { to, headers: sent, body }, signal)
      const next = redirections < MAX_REDIRECTIONS ? redirectionOf(answer, to) : null
      if (next === null) {
        const { statusCode = 0, statusMessage = '' } = answer
        return { statusCode, statusText: statusMessage, headers: answer.headers, body: answer }
      }
      answer.destroy()
      to = next
    }
  }
}

function send(
  agents: { http: HttpAgent; https: HttpsAgent },
  { to, headers, body }: PostContent & { to: URL },
  signal: StopSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, timeout: CONNECT_MS }
    const call =
      to.protocol === 'https:'
        ? requestHttps(to, { ...options, agent: agents.https })
        : requestHttp(to, { ...options, agent: agents.http })
    const stop = () => call.destroy(new Error('The request was stopped.'))
    call.once('response', resolve).on('error', reject)
    // Only while connecting: later silence is bounded by the time limit of the whole call.
    call.on('timeout', () => call.socket?.connecting && call.destroy(new Error('The connection took too long.')))
    call.end(body)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
}

// Only these two statuses repeat the method and the body.
function redirectionOf({ statusCode, headers: { location = '' } }: IncomingMessage, from: URL): URL | null {
  if ((statusCode !== 307 && statusCode !== 308) || !URL.canParse(location, from.href)) return null
  const to = new URL(location, from)
  return /^https?:$/.test(to.protocol) ? to : null
}

function withoutKey({ authorization: _, ...headers }: PostContent['headers']): PostContent['headers'] {
  return headers
}
