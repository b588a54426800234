import type { ConversationSnapshot, Output } from '../conversation/snapshot.ts'
import { element } from './dom.ts'
import { waitSentence } from './output-view.ts'
import type { Strings } from './strings.ts'

/** Says what has changed to those who do not see it: an answer once it is complete, and how a wait ended. */
export class Announcer {
  readonly root = element('div', { part: 'unseen', attributes: { 'aria-live': 'polite', role: 'status' } })
  readonly #strings: Strings
  #ended: string | null = null
  #waits = new Map<string, string>()

  constructor(strings: Strings) {
    this.#strings = strings
  }

  /** `spokenText` gives what an answer says. What stands there at first is old, and is not said. */
  update(turns: ConversationSnapshot['turns'], spokenText: (turnId: string) => string): void {
    const last = turns.at(-1)
    const ended = last?.role === 'assistant' && last.state !== 'running' ? `${last.id} ${last.state}` : ''
    const outputs = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.outputs : []))
    const news = this.#newsOf(outputs)
    const isFirst = this.#ended === null
    if (last && ended !== '' && ended !== this.#ended) news.push(spokenText(last.id))
    if (news.length > 0 || ended !== this.#ended) this.root.textContent = isFirst ? '' : news.join('\n')
    this.#ended = ended
  }

  // A result that was waited for is told by the answer that follows it.
  #newsOf(outputs: readonly Output[]): string[] {
    const states = new Map<string, string>()
    const news = outputs.flatMap(({ id, wait }) => {
      if (!wait) return []
      states.set(id, wait.state)
      const hasEnded = this.#waits.get(id) === 'waiting' && wait.state !== 'waiting' && wait.state !== 'settled'
      return hasEnded ? [waitSentence(wait, this.#strings)] : []
    })
    this.#waits = states
    return news
  }
}
