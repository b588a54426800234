export interface Mutex {
  /** Resolves in the order of the calls, with the function that lets the next caller in. */
  acquire(): Promise<() => void>
}

export function createMutex(): Mutex {
  let tail = Promise.resolve()
  return {
    async acquire() {
      const { promise, resolve } = createGate()
      const turn = tail
      tail = promise
      await turn
      return resolve
    },
  }
}

function createGate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
