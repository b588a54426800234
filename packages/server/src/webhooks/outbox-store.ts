import type { Selectable } from 'kysely'
import { goneRuntimes } from '../deletions/store.ts'
import { type PageRequest, pageBy } from '../store/page.ts'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import { keepEvents } from './events-store.ts'
import { type AccountEvent, GIVE_UP_MS, MAX_ENDED, MAX_WAITING, payloadOf } from './rules.ts'
import { eventsOf } from './store.ts'

export type DeliveryRow = Selectable<Schema['webhook_deliveries']>

/**
 * Stores events for their accounts and for the webhooks that listen to them, in the transaction of what happened. Locks those webhooks: to be
 * called last, so that no other lock is awaited under theirs.
 */
export async function addEvents(tx: Tx, newId: () => string, events: readonly AccountEvent[]): Promise<void> {
  if (events.length === 0) return
  const owners = [...new Set(events.map(({ ownerId }) => ownerId))].sort()
  const listening = await tx
    .selectFrom('webhooks')
    .select(['webhook_id', 'owner_id', 'events'])
    .where('owner_id', 'in', owners)
    .orderBy('webhook_id')
    .forUpdate()
    .execute()
  for (const ownerId of owners) {
    const own = events.filter((event) => event.ownerId === ownerId)
    await keepEvents(tx, newId, ownerId, own)
  }
  for (const webhook of listening) {
    const types = new Set(eventsOf(webhook))
    const own = events.filter(({ ownerId, type }) => ownerId === webhook.owner_id && types.has(type))
    if (own.length > 0) await addTo(tx, newId, webhook.webhook_id, own)
  }
}

async function addTo(tx: Tx, newId: () => string, webhookId: string, events: readonly AccountEvent[]): Promise<void> {
  const waiting = await waitingOf(tx, webhookId).select('runtime_id').limit(MAX_WAITING).execute()
  const queued = new Set(waiting.map(({ runtime_id }) => runtime_id))
  for (const event of events.slice(0, MAX_WAITING - waiting.length)) {
    const runtimeId = event.runtimeId ?? ''
    const delivery = {
      delivery_id: newId(),
      webhook_id: webhookId,
      owner_id: event.ownerId,
      runtime_id: runtimeId,
      type: event.type,
      payload: payloadOf(event),
      status: 'waiting' as const,
      created_at: event.at,
      give_up_at: event.at + GIVE_UP_MS,
      due_at: queued.has(runtimeId) ? null : event.at,
    }
    await tx.insertInto('webhook_deliveries').values(delivery).execute()
    queued.add(runtimeId)
  }
}

interface DueFilter {
  now: number
  exceptOwners: readonly string[]
  /** The most deliveries of one account. */
  ofEach: number
  limit: number
}

export type DueDelivery = Awaited<ReturnType<typeof readDue>>[number]

/** Deliveries that are due, the oldest first. */
export function readDue(db: Db, { now, exceptOwners, ofEach, limit }: DueFilter) {
  const due = db
    .selectFrom('webhook_deliveries')
    .select(['id', 'owner_id', 'webhook_id', 'due_at'])
    .select((eb) =>
      eb.fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('owner_id').orderBy('due_at'))
        .as('rank'),
    )
    .where('due_at', 'is not', null)
    .where('due_at', '<=', now)
    .$if(exceptOwners.length > 0, (query) => query.where('owner_id', 'not in', exceptOwners))
  return db
    .selectFrom(due.as('due'))
    .innerJoin('webhook_deliveries', 'webhook_deliveries.id', 'due.id')
    .innerJoin('webhooks', 'webhooks.webhook_id', 'due.webhook_id')
    .select(['webhook_deliveries.id', 'delivery_id', 'webhook_deliveries.webhook_id', 'webhook_deliveries.owner_id'])
    .select(['runtime_id', 'payload', 'attempts', 'give_up_at', 'due.due_at', 'url', 'secret_sealed'])
    .where('rank', '<=', ofEach)
    .orderBy('due.due_at')
    .limit(limit)
    .execute()
}

/** Counts a try, which has until `leaseUntil`. True for one caller alone, on any number of replicas: it sends. */
export function claimDelivery(db: Db, { id, due_at }: DueDelivery, leaseUntil: number): Promise<boolean> {
  const due = db.updateTable('webhook_deliveries').where(matching('webhook_deliveries', { id, due_at }))
  return hasEffect(due.set((eb) => ({ due_at: leaseUntil, attempts: eb('attempts', '+', 1) })))
}

/** What a try came to: when the next one is, or how the delivery ended. */
export type Outcome =
  | { dueAt: number; lastError: string }
  | { status: 'delivered' | 'failed'; endedAt: number; lastError: string | null }

/** Stores what a try came to. The end of a delivery makes the next event of its runtime due. */
export function finishAttempt(db: Db, delivery: DueDelivery, leaseUntil: number, outcome: Outcome): Promise<void> {
  const { id, webhook_id: webhookId, runtime_id: runtimeId } = delivery
  return inTransaction(db, async (tx) => {
    await lockWebhook(tx, webhookId)
    const changes =
      'status' in outcome
        ? { status: outcome.status, ended_at: outcome.endedAt, due_at: null, last_error: outcome.lastError }
        : { due_at: outcome.dueAt, last_error: outcome.lastError }
    // Another replica may have taken it over, since this one was late.
    const claimed = matching('webhook_deliveries', { id, due_at: leaseUntil })
    const isStored = await hasEffect(tx.updateTable('webhook_deliveries').set(changes).where(claimed))
    if (!isStored || !('status' in outcome)) return
    const next = waitingOf(tx, webhookId).where('runtime_id', '=', runtimeId).select('id').orderBy('id').limit(1)
    await tx.updateTable('webhook_deliveries').set({ due_at: outcome.endedAt }).where('id', '=', next).execute()
    if (id % ENDINGS_PER_DELETION === 0) await deleteOldest(tx, webhookId)
  })
}

const ENDINGS_PER_DELETION = 100

async function deleteOldest(tx: Tx, webhookId: string): Promise<void> {
  const ended = tx.selectFrom('webhook_deliveries').select('id').where('ended_at', 'is not', null)
  const newestFirst = ended.where('webhook_id', '=', webhookId).orderBy('id', 'desc')
  const oldestKept = newestFirst.limit(1).offset(MAX_ENDED - 1)
  const surplus = tx.deleteFrom('webhook_deliveries').where('ended_at', 'is not', null).where('id', '<', oldestKept)
  await surplus.where('webhook_id', '=', webhookId).execute()
}

/** A page of a webhook's deliveries, newest first, and the row after it. */
export async function listDeliveries(db: Db, ownerId: string, webhookId: string, page: PageRequest) {
  const gone = await goneRuntimes(db, ownerId)
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where(matching('webhook_deliveries', { owner_id: ownerId, webhook_id: webhookId }))
    .$if(gone.length > 0, (some) => some.where('runtime_id', 'not in', gone))
    .$call(pageBy('created_at', 'delivery_id', page))
    .execute()
}

/**
 * Lets an ended delivery be sent again, under the same id and after the events of its runtime that wait. One that waits is
 * made due, if it is the first. Null where this owner has no such delivery.
 */
export function redeliver(db: Db, which: DeliveryKey, now: number): Promise<DeliveryRow | null> {
  return inTransaction(db, async (tx) => {
    await lockWebhook(tx, which.webhook_id)
    const own = matching('webhook_deliveries', which)
    const row = await firstRow(tx.selectFrom('webhook_deliveries').selectAll().where(own))
    if (!row) return null
    const waiting = waitingOf(tx, row.webhook_id).where('runtime_id', '=', row.runtime_id)
    const isFirst = row.status === 'waiting' ? row.due_at !== null : !(await firstRow(waiting.select('id').limit(1)))
    const due_at = isFirst ? now : null
    const changes = { status: 'waiting', attempts: 0, give_up_at: now + GIVE_UP_MS, ended_at: null, due_at } as const
    await tx.updateTable('webhook_deliveries').set(changes).where('id', '=', row.id).execute()
    return { ...row, ...changes }
  })
}

type DeliveryKey = Pick<DeliveryRow, 'owner_id' | 'webhook_id' | 'delivery_id'>

function waitingOf(db: Db, webhook_id: string) {
  return db.selectFrom('webhook_deliveries').where(matching('webhook_deliveries', { webhook_id, status: 'waiting' }))
}

async function lockWebhook(tx: Tx, webhookId: string): Promise<void> {
  await tx.selectFrom('webhooks').select('webhook_id').where('webhook_id', '=', webhookId).forUpdate().execute()
}
