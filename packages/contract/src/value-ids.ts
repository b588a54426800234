/**
 * Numbers JSON values: equal ones have equal numbers, whatever the order of their keys. Each object is looked at once, so
 * that comparing the parts of a tree at every depth takes no longer than reading it.
 */
export class ValueIds {
  readonly #primitives = new Map<unknown, number>()
  readonly #composites = new Map<string, number>()
  readonly #known = new WeakMap<object, number>()
  #count = 0

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#numberIn(this.#primitives, value)
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const id = Array.isArray(value)
      ? this.#numberIn(this.#composites, `[${value.map((item) => this.of(item)).join()}]`)
      : this.ofEntries(Object.entries(value))
    this.#known.set(value, id)
    return id
  }

  /** The number of an object with these entries. */
  ofEntries(entries: readonly (readonly [string, unknown])[]): number {
    const parts = entries.map(([key, value]) => `${JSON.stringify(key)}:${this.of(value)}`)
    return this.#numberIn(this.#composites, `{${parts.sort().join()}}`)
  }

  #numberIn<Key>(numbers: Map<Key, number>, key: Key): number {
    const known = numbers.get(key)
    if (known !== undefined) return known
    this.#count += 1
    numbers.set(key, this.#count)
    return this.#count
  }
}
