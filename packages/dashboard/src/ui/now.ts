import { useSyncExternalStore } from 'react'

const TICK_MS = 1_000
const HOUR_MS = 3_600_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** The time, epoch milliseconds, anew every second; one timer for all that show it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** The hour’s beginning, epoch milliseconds: what shows it is drawn anew once an hour, not every second. */
export function useHour(): number {
  return useSyncExternalStore(subscribe, () => now - (now % HOUR_MS))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    // The clock stood still without subscribers; each one reads it again right after it subscribed.
    now = Date.now()
    timer = setInterval(tick, TICK_MS)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}
