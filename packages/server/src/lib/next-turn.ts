/** Resolves in the event loop's next turn, so that whatever else has come meanwhile is done first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
