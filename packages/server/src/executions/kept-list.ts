/** What waits for a database that is away, up to a bound. What finds no place is dropped. */
export class KeptList<T> {
  #items: T[] = []
  readonly #maxItems: number
  readonly #onFull: () => void
  #isFull = false

  /** `onFull` hears of the first that is dropped, and again once there has been room meanwhile. */
  constructor(maxItems: number, onFull: () => void) {
    this.#maxItems = maxItems
    this.#onFull = onFull
  }

  get items(): readonly T[] {
    return this.#items
  }

  add(item: T): void {
    const isFull = this.#items.length >= this.#maxItems
    if (!isFull) this.#items.push(item)
    else if (!this.#isFull) this.#onFull()
    this.#isFull = isFull
  }

  removeFirst(): void {
    this.#items.shift()
  }

  takeAll(): T[] {
    const taken = this.#items
    this.#items = []
    return taken
  }
}
