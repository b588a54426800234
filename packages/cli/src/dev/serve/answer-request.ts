import type { Terminal } from '../../terminal/terminal.ts'
import { callLine } from './call-line.ts'
import type { Serving } from './serving.ts'

type Surroundings = { readonly serving: Serving; readonly terminal: Terminal; readonly now: () => number }

/** Hands a request for `/svc` to the project’s code as it came, and prints how the call ended. */
export async function answerRequest({ serving, terminal, now }: Surroundings, request: Request): Promise<Response> {
  if (new URL(request.url).pathname !== '/svc') return json(404, { error: 'not_found', message: 'Calls go to /svc.' })
  if (request.method !== 'POST') return json(405, { error: 'method_not_allowed' }, { allow: 'POST' })
  const startedAt = now()
  const body = new Uint8Array(await request.arrayBuffer())
  const answer = await serving.answer({ headers: [...request.headers], body }, request.signal)
  const durationMs = Math.round(now() - startedAt)
  const { status, headers, body: answered } = answer ?? (await carriedFault())
  const line = callLine({ request: body, status, answer: answered, durationMs })
  if (line === null) return new Response(new Uint8Array(answered), { status, headers })
  if (terminal.isJson) terminal.note(...line)
  else terminal.line(...line)
  return new Response(new Uint8Array(answered), { status, headers })
}

async function carriedFault() {
  const fault = json(503, { error: 'not_serving', message: 'Nothing is served at the moment; svc dev says why.' })
  return { status: fault.status, headers: [...fault.headers], body: new Uint8Array(await fault.arrayBuffer()) }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}
