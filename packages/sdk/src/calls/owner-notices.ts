import type { ReceiverRefusal } from '@svc/contract'
import type { Clock } from '../clock.ts'

const INTERVAL_MS = 60_000

/** Tells the owner of refused calls. */
export type TellOwner = (code: ReceiverRefusal, advice: string) => void

/**
 * Tells the owner what a wrong set-up looks like: each code at most once a minute, with how many were left out. Anonymous callers
 * can have calls refused as often as they like, and must not fill a log with them.
 */
export function createOwnerNotices(clock: Clock, report: (error: Error) => void): TellOwner {
  const told = new Map<ReceiverRefusal, { at: number; leftOut: number }>()
  return (code, advice) => {
    const now = clock.now()
    const last = told.get(code)
    if (last && Math.abs(now - last.at) < INTERVAL_MS) {
      last.leftOut += 1
      return
    }
    const others = last?.leftOut ? ` (${last.leftOut} more since the last notice)` : ''
    told.set(code, { at: now, leftOut: 0 })
    report(new Error(`refused a capability call, ${code}: ${advice}${others}`))
  }
}
