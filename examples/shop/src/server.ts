import type { RequestListener, ServerResponse } from 'node:http'
import { loadStaticFiles, type Route, type RunningSite, type Site, sendJson, startSite } from '@svc/example-kit'
import { createHandler } from '@svc/sdk'
import { toNodeListener } from '@svc/sdk/node'
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

export interface RunningShop extends RunningSite {
  /** Takes effect at once; again, it replaces what was set before. */
  connect(connection: ShopConnection): void
}

// The same distance from src and from dist.
const PAGES = new URL('../public/', import.meta.url)

/** Starts the shop: its page, its API and its capability endpoint, which answers 503 until the shop is connected. */
export async function startShop(options: ShopOptions): Promise<RunningShop> {
  const { port, host, now = Date.now, onError = logError } = options
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
  const site = {
    svc: (...exchange: Parameters<RequestListener>) => capabilities(...exchange),
    api: routesOf({ store, pageConnection: () => page }),
    files: loadStaticFiles(PAGES),
    chatOrigin: () => page && new URL(page.baseUrl).origin,
    onError,
  }
  const server = await startSite(site, { port, host }).catch((error: unknown) => {
    store.close()
    throw error
  })
  siteUrl ??= server.url
  return {
    url: server.url,
    connect,
    async close() {
      await server.close()
      store.close()
    },
  }
}

function routesOf(deps: ApiDeps): Site['api'] {
  const routes = [...SHOP_API].map(([path, answer]): [string, Route] => [path, (...asked) => answer(deps, ...asked)])
  return new Map(routes)
}

function refuseUntilConnected(_request: unknown, response: ServerResponse): void {
  sendJson(response, 503, {
    error: { message: 'This shop is not connected yet: SVC_RUNTIME_ID and SVC_RUNTIME_SECRET are not set.' },
  })
}

function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}
