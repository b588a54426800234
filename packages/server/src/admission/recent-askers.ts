interface Asker {
  name: string
  at: number
}

/** Remembers the last two different askers, which is enough to tell whether anybody but a given one asked lately. */
export class RecentAskers {
  readonly #windowMs: number
  #last: Asker | null = null
  #beforeLast: Asker | null = null

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  note(name: string, now: number): void {
    if (this.#last?.name === name) {
      this.#last.at = now
      return
    }
    this.#beforeLast = this.#last
    this.#last = { name, at: now }
  }

  /** Whether an asker other than `name` was noted within the window. */
  hasOthersThan(name: string, now: number): boolean {
    const other = this.#last?.name === name ? this.#beforeLast : this.#last
    return other !== null && now - other.at < this.#windowMs
  }
}
