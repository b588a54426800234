import { limited } from '../errors.ts'

/** The way to the payment provider. */
export interface PaymentLane {
  /** Does `work`, which may ask the provider. Refuses before it, with 429, where too many are at it, in all or this owner's. */
  visit<T>(ownerId: string, work: () => Promise<T>): Promise<T>
}

// A request that waits for the provider is no part of what the service may hold at once: these are its bounds.
const MAX_COUNT = 256
const MAX_COUNT_OF_OWNER = 32

/** A provider that is slow or away has requests wait for half a minute and more: no account may fill the way to it. */
export function createPaymentLane(): PaymentLane {
  const taken = new Map<string, number>()
  let count = 0
  const takenBy = (ownerId: string) => taken.get(ownerId) ?? 0
  const take = (ownerId: string) => {
    if (count >= MAX_COUNT || takenBy(ownerId) >= MAX_COUNT_OF_OWNER)
      throw limited('Too many payments are being asked about. Try again in a moment.', 1_000)
    count += 1
    taken.set(ownerId, takenBy(ownerId) + 1)
  }
  const giveBack = (ownerId: string) => {
    count -= 1
    const left = takenBy(ownerId) - 1
    if (left === 0) taken.delete(ownerId)
    else taken.set(ownerId, left)
  }
  return {
    async visit(ownerId, work) {
      take(ownerId)
      try {
        return await work()
      } finally {
        giveBack(ownerId)
      }
    },
  }
}
