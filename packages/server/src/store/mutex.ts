export type Mutex = ReturnType<typeof createMutex>

/** A first-in, first-out lock. `acquire` resolves with the function that releases it. */
export function createMutex() {
  let tail = Promise.resolve()
  return {
    async acquire(): Promise<() => void> {
      const previous = tail
      let release = (): void => undefined
      tail = new Promise((resolve) => {
        release = resolve
      })
      await previous
      return release
    },
  }
}
