/** A map that evicts the least recently used entries while all entries weigh more than `maxWeight`; by default each weighs 1. */
export class Lru<K, V> {
  readonly #entries = new Map<K, { value: V; weight: number }>()
  readonly #maxWeight: number
  readonly #weigh: (value: V) => number
  #weight = 0

  constructor(maxWeight: number, weigh: (value: V) => number = () => 1) {
    this.#maxWeight = maxWeight
    this.#weigh = weigh
  }

  /** Of all entries. */
  get weight(): number {
    return this.#weight
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: K, value: V): void {
    this.delete(key)
    const weight = this.#weigh(value)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) return
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
