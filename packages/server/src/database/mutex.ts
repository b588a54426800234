export type Mutex = ReturnType<typeof createMutex>

/** `acquire` resolves in the order of the calls, with the function that lets the next caller in. */
export function createMutex() {
  let tail = Promise.resolve()
  return {
    async acquire(): Promise<() => void> {
      const turn = tail
      let endTurn = (): void => undefined
      tail = new Promise((resolve) => {
        endTurn = resolve
      })
      await turn
      return endTurn
    },
  }
}
