// Less than half of Node's pool, from which small buffers are cut: one of its own costs as much as a signature.
const FIRST_BYTES = 2048
const MOST_BYTES = 64 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * Collects a body up to a limit. Chunks are copied together at once: a million chunks of one byte would otherwise cost
 * a hundred times their size. What is full is not copied again until all of it is wanted. A body that comes as one chunk,
 * of the length that was announced, is not copied at all.
 */
export class BoundedBuffer {
  readonly #limit: number
  readonly #announced: number | null
  readonly #full: Buffer[] = []
  #last: Buffer = NOTHING
  /** Of the last one, how much is taken. */
  #taken = 0
  #length = 0

  constructor(limit: number, announced: number | null = null) {
    this.#limit = limit
    this.#announced = announced
  }

  /** False when the chunk does not fit under the limit; it is not kept then. */
  append(chunk: Buffer): boolean {
    if (this.#length + chunk.length > this.#limit) return false
    this.#length += chunk.length
    if (chunk.length === this.#announced && chunk.length === this.#length) {
      this.#last = chunk
      this.#taken = chunk.length
      return true
    }
    let rest = chunk
    while (rest.length > 0) {
      if (this.#taken === this.#last.length) this.#add(rest.length)
      const fitting = rest.subarray(0, this.#last.length - this.#taken)
      this.#last.set(fitting, this.#taken)
      this.#taken += fitting.length
      rest = rest.subarray(fitting.length)
    }
    return true
  }

  bytes(): Buffer {
    const last = this.#taken === this.#last.length ? this.#last : this.#last.subarray(0, this.#taken)
    return this.#full.length === 0 ? last : Buffer.concat([...this.#full, last], this.#length)
  }

  #add(needed: number): void {
    if (this.#taken > 0) this.#full.push(this.#last)
    const size = Math.min(Math.max(needed, this.#last.length * 2, FIRST_BYTES), MOST_BYTES)
    this.#last = Buffer.allocUnsafe(size)
    this.#taken = 0
  }
}
