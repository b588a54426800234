// Less than half of the pool from which Node cuts small buffers: a buffer of its own is slow to allocate.
const FIRST_BYTES = 2048
const MAX_BYTES = 64 * 1024

/**
 * Collects a body up to a limit. Chunks are copied into larger buffers, because a million chunks of one byte would take a
 * hundred times their size. A body in one chunk of the announced length is not copied.
 */
export class BoundedBuffer {
  readonly #limit: number
  readonly #announced: number | null
  readonly #full: Buffer[] = []
  #last: Buffer = Buffer.alloc(0)
  /** Used bytes of the last buffer. */
  #used = 0
  #length = 0

  constructor(limit: number, announced: number | null = null) {
    this.#limit = limit
    this.#announced = announced
  }

  /** False, and the chunk is not kept, where it exceeds the limit. */
  append(chunk: Buffer): boolean {
    if (this.#length + chunk.length > this.#limit) return false
    if (this.#length === 0 && chunk.length === this.#announced) {
      this.#last = chunk
      this.#used = chunk.length
    } else this.#copy(chunk)
    this.#length += chunk.length
    return true
  }

  bytes(): Buffer {
    const last = this.#used === this.#last.length ? this.#last : this.#last.subarray(0, this.#used)
    return this.#full.length === 0 ? last : Buffer.concat([...this.#full, last], this.#length)
  }

  #copy(chunk: Buffer): void {
    for (let copied = 0; copied < chunk.length; ) {
      if (this.#used === this.#last.length) this.#grow(chunk.length - copied)
      const bytes = chunk.copy(this.#last, this.#used, copied)
      this.#used += bytes
      copied += bytes
    }
  }

  #grow(needed: number): void {
    if (this.#used > 0) this.#full.push(this.#last)
    this.#last = Buffer.allocUnsafe(Math.min(Math.max(needed, this.#last.length * 2, FIRST_BYTES), MAX_BYTES))
    this.#used = 0
  }
}
