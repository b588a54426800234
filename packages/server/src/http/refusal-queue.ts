const INTERVAL_MS = 10
const MIN_PER_INTERVAL = 10
/** A refusal waits at most so many intervals: beyond 5,000 of them each interval sends more. */
const MAX_INTERVALS = 500

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
    this.#timer ??= setInterval(() => this.#sendSome(), INTERVAL_MS)
  }

  #sendSome(): void {
    const count = Math.max(MIN_PER_INTERVAL, Math.ceil(this.#waiting.length / MAX_INTERVALS))
    for (const send of this.#waiting.splice(0, count)) send()
    if (this.#waiting.length > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
