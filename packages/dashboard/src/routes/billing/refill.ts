import type { Schemas } from '../../api/client.ts'

type Allowance = Schemas['BillingUsage']['executions']

/** An allowance in words. Null figures are unlimited. */
export interface Refill {
  /** From 0, used up, to 1. */
  share: number
  /** When it is full again, in milliseconds from now; 0 where it is. */
  fullInMs: number
}

/** How full an allowance is, and how long it fills at its rate; null where it is unlimited. */
export function refillOf({ available, perHour, burst }: Allowance): Refill | null {
  if (available === null || perHour === null || burst === null) return null
  const missing = Math.max(0, burst - available)
  return {
    share: burst === 0 ? 0 : Math.min(1, available / burst),
    fullInMs: perHour === 0 ? 0 : (missing / perHour) * 3_600_000,
  }
}
