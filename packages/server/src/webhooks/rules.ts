import { createHmac } from 'node:crypto'
import type { WebhookEvent } from '@svc/contract'
import { isoTime } from '../lib/clock.ts'
import type { Secret } from '../secrets/secret.ts'

export const MAX_WEBHOOKS = 5

export const TOO_MANY_WEBHOOKS = `An account can have ${MAX_WEBHOOKS} webhooks. Delete one that is no longer needed.`

/** Events that wait for one webhook. Further ones are not stored. */
export const MAX_WAITING = 5_000

/** Ended deliveries that one webhook keeps. */
export const MAX_ENDED = 1_000

/** Events that an account keeps to be looked at. */
export const MAX_EVENTS = 200

/** Of these types, as their number depends on what callers and deploys do. */
export const MAX_FREQUENT_EVENTS = 50
export const FREQUENT_TYPES = ['call.unknown', 'deployment.promoted'] as const

/** After the first tries, in order, and after each later one. */
const FIRST_PAUSES_MS = [1_000, 5_000, 30_000, 300_000] as const
const LATER_PAUSE_MS = 30 * 60_000

/** An event that has not been taken for this long is given up. */
export const GIVE_UP_MS = 24 * 3_600_000

/** Something that an account may want to be told of; `runtimeId` is null for what concerns the whole account. */
export interface AccountEvent {
  ownerId: string
  runtimeId: string | null
  type: WebhookEvent
  data: Readonly<Record<string, string | number | null>>
  at: number
}

/** The body of an event: every try sends the same text. */
export function payloadOf({ type, at, runtimeId, data }: AccountEvent): string {
  return JSON.stringify({ type, timestamp: isoTime(at), data: { runtimeId, ...data } })
}

/** When a delivery is tried again after its `attempts` tries, the last of which ended at `now`; null once it is given up. */
export function nextAttempt(attempts: number, now: number, giveUpAt: number): number | null {
  const next = now + (FIRST_PAUSES_MS[attempts - 1] ?? LATER_PAUSE_MS)
  return next < giveUpAt ? next : null
}

/** The headers of Standard Webhooks. The secret is `whsec_` and base64; `now` is in milliseconds. */
export function signedHeaders(secret: Secret, { id, body, now }: { id: string; body: string; now: number }) {
  const timestamp = String(Math.trunc(now / 1000))
  const key = Buffer.from(secret.reveal().slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

export const SECRET_PREFIX = 'whsec_'
