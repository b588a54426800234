import type { Dispatcher } from 'undici'

const MOST_WAITING_BYTES = 64 * 1024

type Read = IteratorResult<Uint8Array, undefined>
const OVER: IteratorReturnResult<undefined> = { done: true, value: undefined }

interface Reader {
  resolve(read: Read): void
  reject(error: Error): void
}

/**
 * The body of an answer, for one reader. Who reads slowly has the connection wait, and who stops reading ends it. It is
 * an iterator made by hand, because a generator needs three promises for each piece.
 */
export class AnswerBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #controller: Dispatcher.DispatchController
  readonly #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #isPaused = false
  #end: { error: Error | null } | null = null
  #reader: Reader | null = null

  constructor(controller: Dispatcher.DispatchController) {
    this.#controller = controller
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  append(piece: Uint8Array): void {
    if (this.#reader) {
      this.#reader.resolve({ done: false, value: piece })
      this.#reader = null
      return
    }
    this.#waiting.push(piece)
    this.#waitingBytes += piece.length
    if (this.#isPaused || this.#waitingBytes <= MOST_WAITING_BYTES) return
    this.#isPaused = true
    this.#controller.pause()
  }

  /** The answer is over, or broke off by this error. */
  end(error: Error | null): void {
    if (this.#end) return
    this.#end = { error }
    if (error) this.#reader?.reject(error)
    else this.#reader?.resolve(OVER)
  }

  next(): Promise<Read> {
    const value = this.#waiting.shift()
    if (value) {
      this.#waitingBytes -= value.length
      return Promise.resolve({ done: false, value })
    }
    if (this.#end) return this.#end.error ? Promise.reject(this.#end.error) : Promise.resolve(OVER)
    if (this.#isPaused) {
      this.#isPaused = false
      this.#controller.resume()
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.#end) this.#controller.abort(new Error('The rest of the answer is not wanted.'))
    return Promise.resolve(OVER)
  }
}
