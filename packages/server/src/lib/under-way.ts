import type { StopSignal } from './stop-signal.ts'

/** What is under way in this process, each for as long as it is listed. */
export class UnderWay<T> implements Iterable<T> {
  readonly #items = new Set<T>()
  readonly #waiting = new Set<() => void>()

  get size(): number {
    return this.#items.size
  }

  add(item: T): void {
    this.#items.add(item)
  }

  delete(item: T): void {
    this.#items.delete(item)
    if (this.#items.size > 0) return
    for (const wake of this.#waiting) wake()
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.values()
  }

  /** Resolves when nothing is, or with this signal. */
  async idle(signal: StopSignal): Promise<void> {
    if (this.#items.size === 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#waiting.delete(end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      this.#waiting.add(end)
      signal.addEventListener('abort', end)
    })
  }
}
