import { randomBytes } from 'node:crypto'
import type * as contract from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import type { Caller } from '../accounts/caller.ts'
import { includesRole } from '../accounts/role-rules.ts'
import { forbidden, invalidField, notFound } from '../errors.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { ownAddressProblem } from '../runtimes/rules.ts'
import { sealedIn } from '../secrets/keyring.ts'
import { Secret } from '../secrets/secret.ts'
import { cutPage, type PageRequest } from '../store/page.ts'
import type { WebhookDeps } from './deps.ts'
import { listEvents } from './events-store.ts'
import { type DeliveryRow, listDeliveries, redeliver } from './outbox-store.ts'
import { SECRET_PREFIX, TOO_MANY_WEBHOOKS } from './rules.ts'
import { deleteWebhook, eventsOf, findWebhook, insertWebhook, listWebhooks, type WebhookRow } from './store.ts'

export const webhookSecretContext = sealedIn('webhooks', 'secret_sealed')

/** A new webhook; only this answer holds its secret. Throws 403 where the account has its maximum. */
export async function createWebhook(
  deps: WebhookDeps,
  { ownerId }: Owner,
  { url, events }: contract.CreateWebhookRequest,
): Promise<contract.CreatedWebhook> {
  deps.diskSpace.require()
  const problem = ownAddressProblem(url, deps.ownUrls())
  if (problem) throw invalidField('url', problem)
  const webhookId = deps.newId('webhook')
  const secret = new Secret(SECRET_PREFIX + randomBytes(32).toString('base64'))
  const row = {
    webhook_id: webhookId,
    owner_id: ownerId,
    url,
    events: JSON.stringify(events),
    secret_sealed: deps.keyring.seal(secret, webhookSecretContext(webhookId)),
    created_at: deps.clock.now(),
  }
  if (!(await insertWebhook(deps.db, row))) throw forbidden(TOO_MANY_WEBHOOKS)
  return { ...toWebhook(row), secret: secret.reveal() }
}

/** The webhooks of the account, as {@link readWebhook} shows them. */
export async function listOwnWebhooks({ db }: WebhookDeps, caller: Caller): Promise<contract.WebhookList> {
  const rows = await listWebhooks(db, caller.owner.ownerId)
  return { webhooks: rows.map((row) => shownTo(caller, toWebhook(row))) }
}

/** A webhook. A viewer sees the origin of its URL alone, whose path may hold a secret. Throws 404 where there is none. */
export async function readWebhook({ db }: WebhookDeps, caller: Caller, webhookId: string): Promise<contract.Webhook> {
  return shownTo(caller, toWebhook(await findWebhook(db, caller.owner.ownerId, webhookId)))
}

/** Deletes a webhook and all that waits for it. */
export async function removeWebhook({ db }: WebhookDeps, owner: Owner, webhookId: string): Promise<contract.Webhook> {
  return toWebhook(await deleteWebhook(db, owner.ownerId, webhookId))
}

/** A webhook's deliveries, newest first. */
export async function listOwnDeliveries(
  { db }: WebhookDeps,
  { ownerId }: Owner,
  { webhookId, ...page }: PageRequest & { webhookId: string },
): Promise<contract.WebhookDeliveryList> {
  if (!(await findWebhook(db, ownerId, webhookId))) throw notFound('The webhook')
  const rows = await listDeliveries(db, ownerId, webhookId, page)
  const { shown, nextCursor } = cutPage(rows, page.limit, (row) => ({ at: row.created_at, id: row.delivery_id }))
  return { deliveries: shown.map(toDelivery), nextCursor }
}

/** What happened in the account lately, newest first. */
export async function listOwnEvents({ db }: WebhookDeps, owner: Owner, page: PageRequest) {
  const rows = await listEvents(db, owner.ownerId, page)
  const { shown, nextCursor } = cutPage(rows, page.limit, (row) => ({ at: row.id, id: row.event_id }))
  const events = shown.map((row) => ({
    eventId: row.event_id,
    type: row.type,
    runtimeId: row.runtime_id === '' ? null : row.runtime_id,
    at: isoTime(row.created_at),
    data: JSON.parse(row.data),
  }))
  return { events, nextCursor }
}

/** Sends an event again, under its id. */
export async function sendAgain(
  { db, clock }: WebhookDeps,
  { ownerId }: Owner,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<contract.WebhookDelivery> {
  const which = { owner_id: ownerId, webhook_id: webhookId, delivery_id: deliveryId }
  const row = await redeliver(db, which, clock.now())
  if (!row) throw notFound('The delivery')
  return toDelivery(row)
}

function shownTo({ role }: Caller, webhook: contract.Webhook): contract.Webhook {
  return includesRole(role, 'developer') ? webhook : { ...webhook, url: new URL(webhook.url).origin }
}

/** Throws 404 where the owner has no such webhook: another account's reads as absent. */
function toWebhook(row: WebhookRow | null): contract.Webhook {
  if (!row) throw notFound('The webhook')
  return { webhookId: row.webhook_id, url: row.url, events: eventsOf(row), createdAt: isoTime(row.created_at) }
}

function toDelivery(row: DeliveryRow): contract.WebhookDelivery {
  return {
    deliveryId: row.delivery_id,
    type: row.type,
    runtimeId: row.runtime_id === '' ? null : row.runtime_id,
    status: row.status,
    attempts: row.attempts,
    lastError: row.last_error,
    createdAt: isoTime(row.created_at),
    nextAttemptAt: isoTimeOrNull(row.due_at),
    endedAt: isoTimeOrNull(row.ended_at),
  }
}
