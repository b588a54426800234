/**
 * A map that forgets entries which were not used for `ttlMs`, at the latest after twice that, and earlier where more than
 * `2 × maxSize` of them are used meanwhile: the least recently used half first. Each operation takes constant time.
 */
export class ExpiringMap<K, V> {
  readonly #ttlMs: number
  readonly #maxSize: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  #turnedAt: number | null = null

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

  set(key: K, value: V, now: number): void {
    this.#expire(now)
    this.#place(key, value, now)
  }

  #place(key: K, value: V, now: number): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#maxSize && !this.#young.has(key)) this.#turn(now)
    this.#young.set(key, value)
  }

  #expire(now: number): void {
    this.#turnedAt ??= now
    const passed = now - this.#turnedAt
    if (passed >= this.#ttlMs) this.#turn(now)
    if (passed >= 2 * this.#ttlMs) this.#old.clear()
    // The clock was set back: the next turn is counted from there.
    if (passed < 0) this.#turnedAt = now
  }

  #turn(now: number): void {
    this.#old = this.#young
    this.#young = new Map()
    this.#turnedAt = now
  }
}
