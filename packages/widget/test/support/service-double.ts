import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import { build } from 'esbuild'
import { WIDGET_BUNDLE } from '../../scripts/bundle.js'

/** A request as the double saw it. */
export interface SeenRequest {
  path: string
  method: string
  headers: IncomingMessage['headers']
  body: unknown
}

/** What answers one request of the widget. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>

/** A control plane and the page on it: scripted answers, and everything that was asked for. */
export interface ServiceDouble {
  url: string
  seen: SeenRequest[]
  /** Takes the next execute; what comes after the last of them is answered by it, too. */
  execute: Answer[]
  capability: Answer[]
  approval: Answer[]
  feedback: Answer[]
  /** What `GET /v1/runtime/widget` answers. */
  settings: Record<string, unknown>
  page: { html: string; policy: string }
  /** Further scripts of the page, by path. */
  scripts: Map<string, Uint8Array>
  close(): Promise<void>
}

/** Nothing inline, nothing from elsewhere, and no text may become markup. */
export const STRICT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

type Script = Omit<ServiceDouble, 'url' | 'close'>

export async function startServiceDouble(): Promise<ServiceDouble> {
  const script = await bundledWidget()
  const double: Script = {
    seen: [],
    execute: [],
    capability: [],
    approval: [],
    feedback: [],
    settings: { name: null, accent: null, suggestions: [] },
    page: { html: '', policy: STRICT_POLICY },
    scripts: new Map([['/widget.js', script]]),
  }
  const server = createServer((request, response) => void answer(double, { request, response }))
  const { url, close } = await listenOnFreePort(server)
  return Object.assign(double, { url, close })
}

/** The script as it is built for pages, from what the sources are now. */
export function bundledWidget(): Promise<Uint8Array> {
  return bundled(WIDGET_BUNDLE.entryPoints[0])
}

/** Any module as a script for pages. */
export async function bundled(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    ...WIDGET_BUNDLE,
    entryPoints: [entry],
    conditions: ['@svc/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  })
  const [file] = outputFiles
  if (!file) throw new Error('esbuild made nothing.')
  return file.contents
}

async function answer(
  double: Script,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const seen: SeenRequest = {
    path: request.url ?? '/',
    method: request.method ?? 'GET',
    headers: request.headers,
    body: await bodyOf(request),
  }
  double.seen.push(seen)
  const script = double.scripts.get(seen.path)
  if (script) return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
  if (seen.path === '/v1/runtime/execute') return next(double.execute, response, seen)
  if (seen.path === '/v1/runtime/capability') return next(double.capability, response, seen)
  if (seen.path.startsWith('/v1/runtime/approvals/')) return next(double.approval, response, seen)
  if (seen.path === '/v1/runtime/widget') {
    // A browser repeats a request whose kept connection is closed without an answer: scripts would lose their first one.
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' })
    return void response.end(JSON.stringify(double.settings))
  }
  if (seen.path.endsWith('/feedback')) return next(double.feedback, response, seen)
  if (seen.path === '/favicon.ico') return void response.writeHead(204).end()
  if (seen.path === '/nothing') return void response.writeHead(200, { 'content-type': 'text/plain' }).end()
  if (!seen.path.startsWith('/page')) return void response.writeHead(404).end()
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': double.page.policy }
  response.writeHead(200, headers).end(double.page.html)
}

async function next(answers: Answer[], response: ServerResponse, seen: SeenRequest): Promise<void> {
  const take = answers.length > 1 ? answers.shift() : answers[0]
  if (take) return take(response, seen)
  response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"nothing is scripted"}}')
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? null : JSON.parse(text)
}
