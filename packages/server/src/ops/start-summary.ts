import type { Config } from '../config.ts'
import { placeOf } from '../lib/place-of.ts'
import { VERSION } from '../lib/version.ts'
import type { Model } from '../model/model.ts'
import { databaseFile } from '../store/open-store.ts'

/** The lines that the operator is shown at the start. */
export function startSummary(
  config: Config,
  { model, url, opsUrl }: { model: Model; url: string; opsUrl: string | null },
): string[] {
  const { store } = config
  return [
    `svc ${VERSION} is listening on ${url}`,
    `pages    ${config.baseUrl ?? url}/dashboard`,
    `storage  ${store.engine === 'sqlite' ? `SQLite, ${databaseFile(store.folder)}` : `PostgreSQL, ${placeOf(store.url)}`}`,
    `model    ${model.provider}:${model.name}${model.provider === 'demo' ? ' (built in, for trying out: set SVC_MODEL for a real one)' : ''}`,
    `payments ${paymentsOf(config)}`,
    `mail     ${mailOf(config)}`,
    `local    ${localEndpointsOf(config)}`,
    ...(opsUrl === null ? [] : [`ops      ${opsUrl}, /metrics, /ready and /live: keep it private`]),
    ...(config.traces === null ? [] : [`traces   ${placeOf(config.traces.url)}`]),
  ]
}

function paymentsOf({ stripe, testPayments }: Config): string {
  if (stripe)
    return stripe.webhookSecret ? 'Stripe' : 'Stripe, whose messages are not taken (set STRIPE_WEBHOOK_SECRET)'
  if (!testPayments) return 'no provider: upgrades are refused (set STRIPE_SECRET_KEY)'
  return 'test checkout: no money moves, any owner can confirm an upgrade (SVC_TEST_PAYMENTS=0 turns it off)'
}

function mailOf({ mail }: Config): string {
  if (mail) return mail.host
  return 'none is sent: “admin reset-password” gives links for forgotten passwords (set SVC_SMTP_URL and SVC_MAIL_FROM)'
}

function localEndpointsOf({ allowLocalEndpoints }: Config): string {
  if (!allowLocalEndpoints) return 'endpoints on this machine are refused (SVC_ALLOW_LOCAL_ENDPOINTS=1 allows them)'
  return 'endpoints on this machine may be called by every owner (SVC_ALLOW_LOCAL_ENDPOINTS=0 refuses them)'
}
