const OPENING = '<think>'
const CLOSING = '</think>'
/** An answer that begins with more white space than this begins with no thoughts. */
const MOST_SPACE = 64

/**
 * Leaves out the block of thoughts at the start of an answer, which models write into it where their server does not
 * take it out. Holds back no more than what may still be a part of a tag.
 */
export class WithoutThoughts {
  #state: 'start' | 'thinking' | 'closed' | 'text' = 'start'
  #held = ''

  /** The part of the answer so far that can be passed on, now that this came. */
  feed(delta: string): string {
    if (this.#state === 'text' || delta === '') return delta
    this.#held += delta
    if (this.#state === 'start') this.#begin()
    if (this.#state === 'thinking') this.#think()
    if (this.#state === 'closed') this.#afterThoughts()
    return this.#isText() ? this.end() : ''
  }

  /** The held-back part, where it turned out to be text. */
  end(): string {
    const text = this.#state === 'thinking' ? '' : this.#held
    this.#held = ''
    return text
  }

  #isText(): boolean {
    return this.#state === 'text'
  }

  #begin(): void {
    const said = this.#held.trimStart()
    if (said.startsWith(OPENING)) {
      this.#state = 'thinking'
      this.#held = said.slice(OPENING.length)
    } else if (!OPENING.startsWith(said) || this.#held.length > MOST_SPACE) this.#state = 'text'
  }

  #think(): void {
    const at = this.#held.indexOf(CLOSING)
    // Only the end of thoughts can be a part of the closing tag.
    if (at < 0) this.#held = this.#held.slice(1 - CLOSING.length)
    else {
      this.#state = 'closed'
      this.#held = this.#held.slice(at + CLOSING.length)
    }
  }

  #afterThoughts(): void {
    this.#held = this.#held.trimStart()
    if (this.#held !== '') this.#state = 'text'
  }
}
