const EVERY_MS = 10
const EACH_TIME = 10
/** Past 5,000 waiting refusals each time sends a greater number of them. */
const SHARE = 500

/**
 * Sends refusals at most a thousand a second while few wait. A connection sends its next request after its refusal, so
 * thousands of connections that are refused at once would leave the event loop little time for admitted requests.
 */
export class RefusalQueue {
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | null = null

  /** `send` is called later, in the order of arrival. */
  add(send: () => void): void {
    this.#waiting.push(send)
    this.#timer ??= setInterval(() => this.#sendSome(), EVERY_MS)
  }

  #sendSome(): void {
    const count = Math.max(EACH_TIME, Math.ceil(this.#waiting.length / SHARE))
    for (const send of this.#waiting.splice(0, count)) send()
    if (this.#waiting.length > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
