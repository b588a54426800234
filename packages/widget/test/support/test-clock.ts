import type { Clock, Visibility } from '@svc/widget'

/** Time that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves it, running what is due on the way, with all that follows from it. */
  advance(ms: number): Promise<void>
  /** How many timers are set. */
  readonly pending: number
}

export function createTestClock(start = 1_700_000_000_000): TestClock {
  let now = start
  const timers = new Map<number, { at: number; then: () => void }>()
  let nextId = 0
  return {
    now: () => now,
    after(delayMs, then) {
      const id = nextId++
      timers.set(id, { at: now + delayMs, then })
      return () => timers.delete(id)
    },
    async advance(ms) {
      const end = now + ms
      await settled()
      for (;;) {
        const due = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0]
        if (!due) break
        const [id, { at, then }] = due
        timers.delete(id)
        now = Math.max(now, at)
        then()
        await settled()
      }
      now = end
    },
    get pending() {
      return timers.size
    },
  }
}

/** Lets promises that are settled go on, however many follow each other. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await Promise.resolve()
}

/** A page that a test brings into sight. */
export function createTestVisibility(): Visibility & { show(): void; listeners: number } {
  const listeners = new Set<() => void>()
  return {
    onVisible(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    show() {
      for (const listener of [...listeners]) listener()
    },
    get listeners() {
      return listeners.size
    },
  }
}
