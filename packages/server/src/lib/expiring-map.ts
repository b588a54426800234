/**
 * A map of two generations. It evicts entries that were not used for `ttlMs` to `2 × ttlMs`, and the older generation once
 * the younger one has `maxSize` entries. Each operation takes constant time.
 */
export class ExpiringMap<K, V> {
  readonly #ttlMs: number
  readonly #maxSize: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  #agedAt: number | null = null

  constructor({ ttlMs, maxSize }: { ttlMs: number; maxSize: number }) {
    this.#ttlMs = ttlMs
    this.#maxSize = maxSize
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: K, now: number): V | undefined {
    this.#expire(now)
    const value = this.#young.get(key) ?? this.#old.get(key)
    if (value !== undefined && !this.#young.has(key)) this.#place(key, value, now)
    return value
  }

  *values(): Generator<V> {
    yield* this.#young.values()
    yield* this.#old.values()
  }

  set(key: K, value: V, now: number): void {
    this.#expire(now)
    this.#place(key, value, now)
  }

  #place(key: K, value: V, now: number): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#maxSize && !this.#young.has(key)) this.#age(now)
    this.#young.set(key, value)
  }

  #expire(now: number): void {
    this.#agedAt ??= now
    const passed = now - this.#agedAt
    if (passed >= this.#ttlMs) this.#age(now)
    if (passed >= 2 * this.#ttlMs) this.#old.clear()
    // The clock was set back.
    if (passed < 0) this.#agedAt = now
  }

  #age(now: number): void {
    this.#old = this.#young
    this.#young = new Map()
    this.#agedAt = now
  }
}
