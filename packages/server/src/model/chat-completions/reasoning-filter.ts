const OPENING = '<think>'
const CLOSING = '</think>'
/** Past this much leading white space no opening tag is expected. */
const MAX_SPACE = 64

/**
 * Removes a `<think>` block at the start of an answer, which some servers leave in the text. Holds back only text that may
 * still be part of a tag. The AI SDK's middleware would also remove such tags from the middle of an answer.
 */
export class ReasoningFilter {
  #state: 'start' | 'reasoning' | 'closed' | 'text' = 'start'
  #held = ''

  /** Reads the next text, and returns as much as is known to belong to the answer. */
  feed(delta: string): string {
    if (this.#state === 'text' || delta === '') return delta
    this.#held += delta
    if (this.#state === 'start') this.#readStart()
    if (this.#state === 'reasoning') this.#readReasoning()
    if (this.#state === 'closed') this.#held = this.#held.trimStart()
    if (this.#state === 'closed' && this.#held !== '') this.#state = 'text'
    return this.#isText() ? this.end() : ''
  }

  end(): string {
    const text = this.#state === 'reasoning' ? '' : this.#held
    this.#held = ''
    return text
  }

  #isText(): boolean {
    return this.#state === 'text'
  }

  #readStart(): void {
    const text = this.#held.trimStart()
    if (text.startsWith(OPENING)) {
      this.#state = 'reasoning'
      this.#held = text.slice(OPENING.length)
    } else if (!OPENING.startsWith(text) || this.#held.length > MAX_SPACE) this.#state = 'text'
  }

  #readReasoning(): void {
    const at = this.#held.indexOf(CLOSING)
    if (at >= 0) this.#state = 'closed'
    this.#held = this.#held.slice(at < 0 ? 1 - CLOSING.length : at + CLOSING.length)
  }
}
