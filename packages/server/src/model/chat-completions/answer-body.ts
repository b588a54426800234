import type { Dispatcher } from 'undici'

const MOST_WAITING_BYTES = 64 * 1024

/** The body of an answer, for one reader. Who reads slowly has the connection wait, and who stops reading ends it. */
export class AnswerBody implements AsyncIterable<Uint8Array> {
  readonly #controller: Dispatcher.DispatchController
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #end: { error: Error | null } | null = null
  #wake: (() => void) | null = null

  constructor(controller: Dispatcher.DispatchController) {
    this.#controller = controller
  }

  append(chunk: Uint8Array): void {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.#controller.pause()
    this.#wake?.()
  }

  /** The answer is over, or broke off by this error. */
  end(error: Error | null): void {
    this.#end ??= { error }
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        yield* this.#take()
        if (this.#waiting.length > 0) continue
        if (this.#end?.error) throw this.#end.error
        if (this.#end) return
        await this.#arrival()
      }
    } finally {
      if (!this.#end) this.#controller.abort(new Error('The rest of the answer is not wanted.'))
    }
  }

  #take(): Uint8Array[] {
    const taken = this.#waiting
    this.#waiting = []
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.#controller.resume()
    this.#waitingBytes = 0
    return taken
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null
        resolve()
      }
    })
  }
}
