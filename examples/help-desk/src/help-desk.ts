import { inspect } from 'node:util'
import {
  type CapabilityHandler,
  createHandler,
  createSqlEffectStore,
  createSqlNonceStore,
  defineRuntime,
  type Runtime,
} from '@svc/sdk'
import { openTicketCapability } from './capabilities/open-ticket.ts'
import { searchArticlesCapability } from './capabilities/search-articles.ts'
import { ticketStatusCapability } from './capabilities/ticket-status.ts'
import { openStore, type Store } from './store/open-store.ts'

export interface HelpDesk {
  store: Store
  /** Answers signed calls. */
  svc: CapabilityHandler
  /** What the page’s chat needs. */
  chat: { baseUrl: string; publicKey: string }
}

export function createHelpRuntime(store: Store): Runtime {
  return defineRuntime({
    capabilities: [searchArticlesCapability(store), openTicketCapability(store), ticketStatusCapability(store)],
    effects: createSqlEffectStore(store.database, { clock: store }),
  })
}

let opened: HelpDesk | undefined

/** The help desk that the environment names, opened at the first request: Next also loads its files while it builds. */
export function helpDesk(): HelpDesk {
  opened ??= openHelpDesk()
  return opened
}

function openHelpDesk(): HelpDesk {
  const { SVC_RUNTIME_ID: runtimeId, SVC_RUNTIME_SECRET: secret, SVC_BASE_URL = '', SVC_PUBLIC_KEY = '' } = process.env
  const store = openStore(process.env.HELP_DESK_DATABASE ?? '.svc-data/help-desk.sqlite')
  // In the database, so that copies of this function on other machines know the same ones.
  const nonceStore = createSqlNonceStore(store.database)
  const svc = createHandler({
    runtime: createHelpRuntime(store),
    runtimeId,
    secret,
    nonceStore,
    onError: (error) => void process.stderr.write(`${inspect(error)}\n`),
  })
  return { store, svc, chat: { baseUrl: SVC_BASE_URL, publicKey: SVC_PUBLIC_KEY } }
}
