import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createHandler } from '@svc/sdk'
import { toNodeListener } from '@svc/sdk/node'
import { RequestProblem, sendJson } from './http/json.ts'
import { loadStaticFiles, type StaticFile, sendStaticFile } from './http/static-files.ts'
import { type ApiDeps, type PageConnection, SHOP_API } from './shop-api.ts'
import { createShopRuntime } from './shop-runtime.ts'
import { openStore } from './store/open-store.ts'

/** What registering the runtime gives: who signs the calls, and where the page asks its questions. */
export interface ShopConnection extends PageConnection {
  runtimeId: string
  secret: string
}

export interface ShopOptions {
  /** 0 takes any free port. */
  port: number
  /** Default `127.0.0.1`. */
  host?: string | undefined
  /** The address by which customers know the shop. Default: the one that it listens on. */
  siteUrl?: string | undefined
  databaseFile: string
  runtimeId?: string | undefined
  secret?: string | undefined
  baseUrl?: string | undefined
  publicKey?: string | undefined
  now?: (() => number) | undefined
  /** Faults for the owner’s log; refusals that a customer may cause are none. */
  onError?: ((error: unknown) => void) | undefined
}

export interface RunningShop {
  /** Without a slash at its end. Capabilities are at `<url>/svc`. */
  url: string
  /** Takes effect at once; again, it replaces what was set before. */
  connect(connection: ShopConnection): void
  close(): Promise<void>
}

/** Starts the shop: its page, its API and its capability endpoint, which answers 503 until the shop is connected. */
export async function startShop(options: ShopOptions): Promise<RunningShop> {
  const { port, host = '127.0.0.1', now = Date.now, onError = logError } = options
  const store = openStore({ databaseFile: options.databaseFile, now })
  // Opened now rather than at the first request: a shop without its database should not come up.
  store.database.pragma('optimize')
  let siteUrl = options.siteUrl?.replace(/\/+$/, '') ?? null
  const runtime = createShopRuntime(store, { url: () => siteUrl })
  let capabilities: RequestListener = refuseUntilConnected
  let page: PageConnection | null = null

  function connect({ runtimeId, secret, baseUrl, publicKey }: Partial<ShopOptions>): void {
    if (runtimeId && secret) {
      capabilities = toNodeListener(createHandler({ runtime, runtimeId, secret, clock: { now }, onError }))
    }
    if (baseUrl && publicKey) page = { baseUrl, publicKey }
  }

  connect(options)
  const site: Site = { store, files: loadStaticFiles(), pageConnection: () => page, onError }
  const server = createServer((request, response) => {
    if (pathOf(request) === '/svc') return capabilities(request, response)
    void answer(site, request, response)
  })
  const url = await listen(server, { port, host }).catch((error: unknown) => {
    store.close()
    throw error
  })
  siteUrl ??= url
  return {
    url,
    connect,
    async close() {
      await stop(server)
      store.close()
    },
  }
}

interface Site extends ApiDeps {
  files: ReadonlyMap<string, StaticFile>
  onError(error: unknown): void
}

async function answer(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await route(site, request, response)
  } catch (error) {
    if (!(error instanceof RequestProblem)) site.onError(error)
    const problem = error instanceof RequestProblem ? error : new RequestProblem(500, 'The shop has a problem.')
    if (response.headersSent) response.destroy()
    else sendJson(response, problem.status, { error: { message: problem.message } })
  }
}

async function route(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = pathOf(request)
  const handler = SHOP_API.get(`${request.method} ${path}`)
  if (handler) {
    const query = new URLSearchParams(request.url?.slice(path.length + 1))
    const { status, body } = await handler(site, request, query)
    return sendJson(response, status, body)
  }
  const file = request.method === 'GET' || request.method === 'HEAD' ? site.files.get(path) : undefined
  if (!file) throw new RequestProblem(404, 'There is nothing here.')
  const baseUrl = site.pageConnection()?.baseUrl
  sendStaticFile(response, file, baseUrl ? new URL(baseUrl).origin : null)
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '/'
}

function refuseUntilConnected(_request: IncomingMessage, response: ServerResponse): void {
  sendJson(response, 503, {
    error: { message: 'This shop is not connected yet: SVC_RUNTIME_ID and SVC_RUNTIME_SECRET are not set.' },
  })
}

async function listen(server: Server, { port, host }: { port: number; host: string }): Promise<string> {
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const taken = typeof address === 'object' && address ? address.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`
}

// Requests under way may finish; a client that never ends its request cannot hold the shop open.
async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  const impatience = setTimeout(() => server.closeAllConnections(), 2000)
  server.close()
  await closed
  clearTimeout(impatience)
}

function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
