import type { Problem } from '../conversation/problem.ts'
import type { ConversationSnapshot, Output } from '../conversation/snapshot.ts'
import { element } from './dom.ts'
import { waitSentence } from './output-view.ts'
import type { Strings } from './strings.ts'

/** Says what has changed to those who do not see it: an answer once it is complete, and how a wait ended. */
export class Announcer {
  readonly root = element('div', { part: 'unseen', attributes: { 'aria-live': 'polite', role: 'status' } })
  readonly #strings: Strings
  #ended: string | null = null
  #problem: Problem | null = null
  #due = 0
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
    // A retry may fail again before it was drawn as running.
    const problem = last?.role === 'assistant' ? last.problem : null
    const hasChanged = ended !== this.#ended || problem !== this.#problem
    const isFirst = this.#ended === null
    if (last && ended !== '' && hasChanged) news.push(spokenText(last.id))
    if (news.length > 0 || hasChanged) this.#say(isFirst ? '' : news.join('\n'))
    this.#ended = ended
    this.#problem = problem
  }

  // A text that already stands there is not read out again, unless it has been away.
  #say(text: string): void {
    cancelAnimationFrame(this.#due)
    const isSame = text === this.root.textContent
    this.root.textContent = isSame ? '' : text
    if (isSame) this.#due = requestAnimationFrame(() => this.root.append(text))
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
