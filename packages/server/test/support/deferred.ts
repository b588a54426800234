/** A promise that a test settles. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** A barrier: callers wait until a test opens it, and are counted. */
export interface Gate {
  /** Waits to be let through. */
  enter(): Promise<void>
  /** Resolves when so many have come in all. */
  arrived(count: number): Promise<void>
  /** Lets the one through that has waited longest. */
  letOne(): void
  /** Lets everybody through, now and from now on. */
  open(): void
  /** How many wait, and the most that ever did at once. */
  readonly waiting: number
  readonly mostAtOnce: number
}

export function createGate(): Gate {
  const waiting: Deferred<void>[] = []
  const watchers: { count: number; seen: Deferred<void> }[] = []
  let arrivals = 0
  let mostAtOnce = 0
  let isOpen = false
  return {
    async enter() {
      arrivals += 1
      for (const { count, seen } of watchers) if (arrivals >= count) seen.resolve()
      if (isOpen) return
      const turn = deferred()
      waiting.push(turn)
      mostAtOnce = Math.max(mostAtOnce, waiting.length)
      await turn.promise
    },
    arrived(count) {
      const seen = deferred()
      if (arrivals >= count) seen.resolve()
      watchers.push({ count, seen })
      return seen.promise
    },
    letOne: () => waiting.shift()?.resolve(),
    open() {
      isOpen = true
      for (const turn of waiting.splice(0)) turn.resolve()
    },
    get waiting() {
      return waiting.length
    },
    get mostAtOnce() {
      return mostAtOnce
    },
  }
}
