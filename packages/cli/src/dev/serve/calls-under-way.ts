import type { CarriedAnswer } from '../worker/messages.ts'

/** Requests to a process that it has not answered yet. */
export function createCallsUnderWay() {
  const waiting = new Map<number, (answer: CarriedAnswer | null) => void>()
  let lastId = 0
  let onIdle: (() => void) | null = null

  const settle = (id: number, answer: CarriedAnswer | null) => {
    waiting.get(id)?.(answer)
    waiting.delete(id)
    if (waiting.size === 0) onIdle?.()
  }
  return {
    begin(): { readonly id: number; readonly answer: Promise<CarriedAnswer | null> } {
      lastId += 1
      const id = lastId
      return { id, answer: new Promise((resolve) => waiting.set(id, resolve)) }
    },
    settle,
    /** Settles all of them without an answer. */
    abandon(): void {
      for (const id of [...waiting.keys()]) settle(id, null)
    },
    /** Resolves when there are none. */
    async idle(): Promise<void> {
      if (waiting.size > 0) await new Promise<void>((resolve) => (onIdle = resolve))
    },
  }
}
