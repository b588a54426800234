import type { WebhookEvent } from '@svc/contract'
import type { Insertable, Selectable } from 'kysely'
import { firstRow, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'
import { MAX_WEBHOOKS } from './rules.ts'

export type WebhookRow = Selectable<Schema['webhooks']>

/** The owner's webhooks, oldest first. */
export function listWebhooks(db: Db, ownerId: string): Promise<WebhookRow[]> {
  return db.selectFrom('webhooks').selectAll().where('owner_id', '=', ownerId).orderBy('webhook_id').execute()
}

export function findWebhook(db: Db, ownerId: string, webhookId: string): Promise<WebhookRow | null> {
  return firstRow(webhookOf(db, ownerId, webhookId))
}

function webhookOf(db: Db, owner_id: string, webhook_id: string) {
  return db.selectFrom('webhooks').selectAll().where(matching('webhooks', { owner_id, webhook_id }))
}

/** Adds a webhook; false where the account has {@link MAX_WEBHOOKS}. The lock keeps concurrent requests below the limit. */
export function insertWebhook(db: Db, webhook: Insertable<Schema['webhooks']>): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockOwner(tx, webhook.owner_id)
    if ((await listWebhooks(tx, webhook.owner_id)).length >= MAX_WEBHOOKS) return false
    await tx.insertInto('webhooks').values(webhook).execute()
    return true
  })
}

/** Deletes a webhook with its deliveries; null where this owner has no such one. */
export function deleteWebhook(db: Db, ownerId: string, webhookId: string): Promise<WebhookRow | null> {
  return inTransaction(db, async (tx) => {
    // The lock keeps events from being added meanwhile.
    const row = await firstRow(webhookOf(tx, ownerId, webhookId).forUpdate())
    if (!row) return null
    await tx.deleteFrom('webhook_deliveries').where('webhook_id', '=', webhookId).execute()
    await tx.deleteFrom('webhooks').where('webhook_id', '=', webhookId).execute()
    return row
  })
}

export function eventsOf({ events }: Pick<WebhookRow, 'events'>): WebhookEvent[] {
  return JSON.parse(events)
}
