import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { RequestProblem, sendJson } from './json.ts'
import { type StaticFile, sendStaticFile } from './static-files.ts'

export interface Site {
  /** Capabilities, at `/svc`. */
  svc(request: IncomingMessage, response: ServerResponse): void
  /** The site’s own routes, by method and path. */
  api: ReadonlyMap<string, Route>
  files: ReadonlyMap<string, StaticFile>
  /** Where the chat’s script comes from; null where there is no chat. */
  chatOrigin(): string | null
  /** Faults for the owner’s log; refusals are none. */
  onError(error: unknown): void
}

/** Answers one request. A {@link RequestProblem} is answered in its own words. */
export type Route = (request: IncomingMessage, query: URLSearchParams) => Answer | Promise<Answer>

export interface Answer {
  status: number
  body: unknown
}

export interface RunningSite {
  /** Without a slash at its end. Capabilities are at `<url>/svc`. */
  url: string
  close(): Promise<void>
}

/** Serves pages, an API of JSON and capabilities on one port; 0 takes any that is free. */
export async function startSite(
  site: Site,
  { port, host = '127.0.0.1' }: { port: number; host?: string | undefined },
): Promise<RunningSite> {
  const server = createServer((request, response) => {
    if (pathOf(request) === '/svc') return site.svc(request, response)
    void answer(site, request, response)
  })
  const url = await listen(server, { port, host })
  return { url, close: () => stop(server) }
}

async function answer(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await route(site, request, response)
  } catch (error) {
    if (!(error instanceof RequestProblem)) site.onError(error)
    const problem = error instanceof RequestProblem ? error : new RequestProblem(500, 'The server has a problem.')
    if (response.headersSent) response.destroy()
    else sendJson(response, problem.status, { error: { message: problem.message } })
  }
}

async function route(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = pathOf(request)
  const handler = site.api.get(`${request.method} ${path}`)
  if (handler) {
    const { status, body } = await handler(request, new URLSearchParams(request.url?.slice(path.length + 1)))
    return sendJson(response, status, body)
  }
  const file = request.method === 'GET' || request.method === 'HEAD' ? site.files.get(path) : undefined
  if (!file) throw new RequestProblem(404, 'There is nothing here.')
  sendStaticFile(response, file, site.chatOrigin())
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '/'
}

async function listen(server: Server, { port, host }: { port: number; host: string }): Promise<string> {
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const taken = typeof address === 'object' && address ? address.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`
}

// Requests under way may finish; a client that never ends its request cannot hold the site open.
async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  const impatience = setTimeout(() => server.closeAllConnections(), 2000)
  server.close()
  await closed
  clearTimeout(impatience)
}
