// Less than half of Node's pool, from which small buffers are cut: one of its own costs as much as a signature.
const FIRST_BYTES = 2048
const MOST_BYTES = 64 * 1024

/**
 * Collects a body up to a limit. Chunks are copied together at once: a million chunks of one byte would otherwise cost
 * a hundred times their size. What is full is not copied again until all of it is wanted.
 */
export class BoundedBuffer {
  readonly #limit: number
  readonly #full: Buffer[] = []
  #last = Buffer.allocUnsafe(0)
  /** Of the last one, how much is taken. */
  #taken = 0
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the chunk does not fit under the limit; it is not kept then. */
  append(chunk: Uint8Array): boolean {
    if (this.#length + chunk.length > this.#limit) return false
    this.#length += chunk.length
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
    const last = this.#last.subarray(0, this.#taken)
    return this.#full.length === 0 ? last : Buffer.concat([...this.#full, last], this.#length)
  }

  #add(needed: number): void {
    if (this.#taken > 0) this.#full.push(this.#last)
    const size = Math.min(Math.max(needed, this.#last.length * 2, FIRST_BYTES), MOST_BYTES)
    this.#last = Buffer.allocUnsafe(size)
    this.#taken = 0
  }
}
