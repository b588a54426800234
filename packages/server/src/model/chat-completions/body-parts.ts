import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { PartStream, TurnPart } from '../turn-source.ts'
import { TurnReader } from './turn-reader.ts'

interface Asking {
  resolve(parts: readonly TurnPart[] | null): void
  reject(error: Error): void
}

/** Reads the parts of a body as its pieces come: iterating over a stream would take several times as long for each. */
export class BodyParts implements PartStream {
  readonly #body: Readable
  readonly #reader = new TurnReader()
  #asking: Asking | null = null
  #isOver = false
  #error: Error | null = null

  constructor(body: Readable) {
    const decoder = new StringDecoder('utf8')
    this.#body = body
    body
      .on('data', (piece: Buffer) => {
        this.#reader.feed(decoder.write(piece))
        this.#answer()
      })
      .once('end', () => {
        this.#reader.end()
        this.#isOver = true
        this.#answer()
      })
      .on('error', (error: Error) => {
        this.#error = error
        this.#answer()
      })
  }

  next(): Promise<readonly TurnPart[] | null> {
    return new Promise((resolve, reject) => {
      this.#asking = { resolve, reject }
      this.#answer()
    })
  }

  close(): void {
    if (!this.#isOver) this.#body.destroy()
  }

  /** Lets the body flow only while somebody waits for it. */
  #answer(): void {
    const asking = this.#asking
    if (asking === null) return void this.#body.pause()
    const parts = this.#reader.take()
    if (parts.length > 0) asking.resolve(parts)
    else if (this.#error !== null) asking.reject(this.#error)
    else if (this.#isOver) asking.resolve(null)
    else return void this.#body.resume()
    this.#asking = null
  }
}
