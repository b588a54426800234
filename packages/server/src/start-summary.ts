import type { Config } from './config.ts'
import type { Model } from './model/model.ts'
import { databaseFile } from './open-store.ts'
import { VERSION } from './version.ts'

/** What an operator wants to read at the start, line by line. */
export function startSummary(
  config: Config,
  { model, url, opsUrl }: { model: Model; url: string; opsUrl: string | null },
): string[] {
  const { store } = config
  return [
    `svc ${VERSION} is listening on ${url}`,
    `storage  ${store.engine === 'sqlite' ? `SQLite, ${databaseFile(store.folder)}` : `PostgreSQL, ${placeOf(store.url)}`}`,
    `model    ${model.provider}:${model.name}${model.provider === 'demo' ? ' (built in, for trying out: set SVC_MODEL for a real one)' : ''}`,
    `payments ${paymentsOf(config)}`,
    ...(opsUrl === null ? [] : [`ops      ${opsUrl}, /metrics, /ready and /live: keep it private`]),
    ...(config.traces === null ? [] : [`traces   ${placeOf(config.traces.url)}`]),
  ]
}

// Where a database is, without who opens it.
function placeOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl)
  return host + pathname
}

function paymentsOf({ stripe }: Config): string {
  if (!stripe)
    return 'test provider: no money moves, anybody can confirm an upgrade (set STRIPE_SECRET_KEY for a real one)'
  return stripe.webhookSecret ? 'Stripe' : 'Stripe, whose messages are not taken (set STRIPE_WEBHOOK_SECRET)'
}
