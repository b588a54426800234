import * as z from 'zod'
import { Timestamp } from './json.ts'
import { Endpoint } from './web-addresses.ts'

/** What a webhook can be told of. */
export const WebhookEvent = z.enum([
  'quota.threshold',
  'endpoint.unreachable',
  'endpoint.recovered',
  'deployment.promoted',
  'deployment.frozen',
  'call.unknown',
  'key.revealed',
  'key.rotated',
])
export type WebhookEvent = z.infer<typeof WebhookEvent>

/** Body of `POST /v1/webhooks`. */
export const CreateWebhookRequest = z.strictObject({
  url: Endpoint,
  events: z
    .array(WebhookEvent)
    .min(1)
    .max(WebhookEvent.options.length)
    .refine((events) => new Set(events).size === events.length, 'names an event twice.'),
})
export type CreateWebhookRequest = z.infer<typeof CreateWebhookRequest>

export const Webhook = z.object({
  webhookId: z.string(),
  url: z.string(),
  events: z.array(WebhookEvent),
  createdAt: Timestamp,
})
export type Webhook = z.infer<typeof Webhook>

/** A new webhook with its signing secret, `whsec_…`, which no later answer holds. */
export const CreatedWebhook = Webhook.extend({ secret: z.string() })
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

export const WebhookList = z.object({ webhooks: z.array(Webhook) })
export type WebhookList = z.infer<typeof WebhookList>

/** `waiting` until the receiver answered with a status from 200 to 299, or for 24 hours. */
export const DeliveryStatus = z.enum(['waiting', 'delivered', 'failed'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

/** One event for one webhook. */
export const WebhookDelivery = z.object({
  /** The `webhook-id` header of every try. */
  deliveryId: z.string(),
  type: WebhookEvent,
  runtimeId: z.string().nullable(),
  status: DeliveryStatus,
  attempts: z.int().nonnegative(),
  /** Why the last try failed; null after none, and after one that worked. */
  lastError: z.string().nullable(),
  createdAt: Timestamp,
  /** Null once it has ended, and while an earlier event of the runtime waits. */
  nextAttemptAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const WebhookDeliveryList = z.object({
  deliveries: z.array(WebhookDelivery),
  nextCursor: z.string().nullable(),
})
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>

/** What a webhook’s receiver gets as its body. */
export const WebhookPayload = z.object({
  type: WebhookEvent,
  timestamp: Timestamp,
  data: z.looseObject({ runtimeId: z.string().nullable() }),
})
export type WebhookPayload = z.infer<typeof WebhookPayload>

/** Something that happened in an account, as its webhooks are told of it. */
export const AccountEvent = z.object({
  eventId: z.string(),
  type: WebhookEvent,
  runtimeId: z.string().nullable(),
  at: Timestamp,
  data: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
})
export type AccountEvent = z.infer<typeof AccountEvent>

/** Answer of `GET /v1/events`, newest first. An account keeps its latest 200. */
export const AccountEventList = z.object({ events: z.array(AccountEvent), nextCursor: z.string().nullable() })
export type AccountEventList = z.infer<typeof AccountEventList>
