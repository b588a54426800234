// Less than half of Node's pool, from which small buffers are cut: one of its own costs as much as a signature.
const FIRST_BYTES = 2048

/**
 * Collects a body up to a limit. Chunks are copied together at once: a million chunks of one byte would otherwise cost
 * a hundred times their size.
 */
export class BoundedBuffer {
  readonly #limit: number
  #bytes = Buffer.allocUnsafe(0)
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the chunk does not fit under the limit; it is not kept then. */
  append(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length
    if (length > this.#limit) return false
    if (length > this.#bytes.length) this.#grow(length)
    this.#bytes.set(chunk, this.#length)
    this.#length = length
    return true
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(needed: number): void {
    const size = Math.min(Math.max(needed, this.#bytes.length * 2, FIRST_BYTES), this.#limit)
    const bytes = Buffer.allocUnsafe(size)
    bytes.set(this.bytes())
    this.#bytes = bytes
  }
}
