import type { Feedback } from '@svc/contract'
import { ClientError } from '../client/client-error.ts'
import type { Clock } from '../client/clock.ts'

// A page that is left rejects its requests, too. What it sent may have arrived: that stays as it is stored.
const LEAVING_MS = 1_000

export interface Rating {
  value: Feedback | null
  clock: Clock
  send(): Promise<void>
  /** The value that the answer has now. */
  shown(): Feedback | null | undefined
  takeBack(): void
}

/** Sends a rating, and takes it back where it was not stored, unless a later one has replaced it. */
export function sendRating({ value, clock, send, shown, takeBack }: Rating): void {
  const undo = () => {
    if (shown() === value) takeBack()
  }
  void send().catch((error: unknown) => {
    if (error instanceof ClientError && error.kind !== 'unreachable') undo()
    else clock.after(LEAVING_MS, undo)
  })
}
