import { Stop, type StopSignal } from '../lib/stop-signal.ts'
import type { Secret } from '../secrets/secret.ts'
import type { WebhookDeps } from './deps.ts'
import { claimDelivery, type DueDelivery, finishAttempt, type Outcome, readDue } from './outbox-store.ts'
import { nextAttempt, signedHeaders } from './rules.ts'
import { webhookSecretContext } from './webhooks.ts'

/** How often due events are looked for. */
export const DELIVERY_MS = 1_000

/** Deliveries at once, of all accounts and of one. */
const AT_ONCE = 100
const AT_ONCE_OF_ACCOUNT = 5
/** A try that was begun and not ended is made again after this long: its node is dead. */
const LEASE_MS = 30_000

export type DeliveryDeps = Pick<WebhookDeps, 'db' | 'clock' | 'keyring' | 'dispatcher' | 'logger'>

/** Sends events to webhooks. Any number of replicas may do so at once. */
export function createDeliveries(deps: DeliveryDeps) {
  const stopping = new Stop()
  const underWay = new Map<Promise<void>, string>()
  const isBusy = (ownerId: string) =>
    [...underWay.values()].filter((owner) => owner === ownerId).length >= AT_ONCE_OF_ACCOUNT
  return {
    /** Begins all deliveries that are due and have room. Does not wait for their answers. */
    async begin(): Promise<void> {
      const [limit, now] = [AT_ONCE - underWay.size, deps.clock.now()]
      if (limit <= 0 || stopping.aborted) return
      const exceptOwners = [...new Set(underWay.values())].filter(isBusy)
      const leaseUntil = now + LEASE_MS
      for (const due of await readDue(deps.db, { now, exceptOwners, ofEach: AT_ONCE_OF_ACCOUNT, limit })) {
        if (stopping.aborted) return
        if (isBusy(due.owner_id) || !(await claimDelivery(deps.db, due, leaseUntil))) continue
        const sending = deliver(deps, due, { leaseUntil, signal: stopping })
          .catch((err: unknown) => {
            deps.logger.error({ err, webhookId: due.webhook_id }, 'an event could not be sent to a webhook')
          })
          .finally(() => underWay.delete(sending))
        underWay.set(sending, due.owner_id)
      }
    },
    /** Resolves when the deliveries under way have ended. */
    async idle(): Promise<void> {
      await Promise.all(underWay.keys())
    },
    /** Ends the deliveries under way. They are tried again, here or on another replica. */
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(underWay.keys())
    },
  }
}

type Claim = { leaseUntil: number; signal: StopSignal }

async function deliver(deps: DeliveryDeps, due: DueDelivery, { leaseUntil, signal }: Claim): Promise<void> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  signal.addEventListener('abort', abort)
  try {
    const fault = await send(deps, due, controller.signal)
    await finishAttempt(deps.db, due, leaseUntil, outcomeOf(due, fault, deps.clock.now(), signal.aborted))
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Null where the receiver took the event, else why not. */
async function send(deps: DeliveryDeps, due: DueDelivery, signal: AbortSignal): Promise<string | null> {
  const { delivery_id: id, payload: body, url, webhook_id: webhookId } = due
  let secret: Secret
  try {
    secret = deps.keyring.open(due.secret_sealed, webhookSecretContext(webhookId))
  } catch (err) {
    deps.logger.error({ err, webhookId }, 'the secret of a webhook cannot be opened')
    return 'The service cannot open the secret of this webhook. Create it anew.'
  }
  const headers = signedHeaders(secret, { id, body, now: deps.clock.now() })
  return await deps.dispatcher.post({ url, headers, body }, signal)
}

function outcomeOf({ attempts, give_up_at }: DueDelivery, fault: string | null, now: number, wasCut: boolean): Outcome {
  if (fault === null) return { status: 'delivered', endedAt: now, lastError: null }
  const dueAt = wasCut ? now : nextAttempt(attempts + 1, now, give_up_at)
  return dueAt === null ? { status: 'failed', endedAt: now, lastError: fault } : { dueAt, lastError: fault }
}
