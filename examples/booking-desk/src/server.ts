import { type Answer, loadStaticFiles, type RunningSite, startSite } from '@svc/example-kit'
import { createHandler } from '@svc/sdk'
import { toNodeListener } from '@svc/sdk/node'
import { createDeskRuntime } from './desk-runtime.ts'
import { comingBookings } from './store/bookings.ts'
import { openStore, type Store } from './store/open-store.ts'
import { ROOMS } from './store/rooms.ts'

export interface DeskOptions {
  /** 0 takes any free port. */
  port: number
  /** A path, or `:memory:`. */
  databaseFile: string
  runtimeId: string
  secret: string
  /** Where the page’s chat asks, and with which key. */
  baseUrl: string
  publicKey: string
  now?: () => number
  /** Faults for the owner’s log. */
  onError(error: unknown): void
}

// The same distance from src and from dist.
const PAGES = new URL('../public/', import.meta.url)

/** Starts the desk: its page, the two routes that the page reads, and its capabilities at `/svc`. */
export async function startDesk({ databaseFile, now, ...options }: DeskOptions): Promise<RunningSite> {
  const { port, runtimeId, secret, baseUrl, publicKey, onError } = options
  const store = openStore(databaseFile, now)
  const handler = createHandler({ runtime: createDeskRuntime(store), runtimeId, secret, clock: store, onError })
  const site = {
    svc: toNodeListener(handler),
    api: new Map([
      ['GET /api/desk', () => readDesk(store)],
      ['GET /api/connection', () => ({ status: 200, body: { baseUrl, publicKey } })],
    ]),
    files: loadStaticFiles(PAGES),
    chatOrigin: () => new URL(baseUrl).origin,
    onError,
  }
  const server = await startSite(site, { port })
  return {
    url: server.url,
    async close() {
      await server.close()
      store.database.close()
    },
  }
}

// The page is for everybody who stands at the desk: no names and no addresses.
function readDesk(store: Store): Answer {
  const rooms = Object.entries(ROOMS).map(([name, room]) => ({ name, ...room }))
  const bookings = comingBookings(store).map(({ number, room, dates, guests }) => ({ number, room, dates, guests }))
  return { status: 200, body: { rooms, bookings } }
}
