import type { Problem } from '../conversation/problem.ts'
import type { AssistantTurn, ConversationSnapshot } from '../conversation/snapshot.ts'
import { type ApprovalContext, approvalNotes } from './approval-view.ts'
import { element } from './dom.ts'
import { waitSentence } from './output-view.ts'

/** Says what has changed to those who do not see it: a complete answer, the end of a wait, what became of an approval. */
export class Announcer {
  readonly root = element('div', { part: 'unseen', attributes: { 'aria-live': 'polite', role: 'status' } })
  readonly #context: ApprovalContext
  #ended: string | null = null
  #problem: Problem | null = null
  #due = 0
  #seen = new Map<string, object>()

  constructor(context: ApprovalContext) {
    this.#context = context
  }

  /** `spokenText` gives what an answer says. What stands there at first is old, and is not said. */
  update(turns: ConversationSnapshot['turns'], spokenText: (turnId: string) => string): void {
    const last = turns.at(-1)
    const ended = last?.role === 'assistant' && last.state !== 'running' ? `${last.id} ${last.state}` : ''
    const news = this.#newsOf(turns.filter((turn) => turn.role === 'assistant'))
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

  #newsOf(answers: readonly AssistantTurn[]): string[] {
    const { strings } = this.#context
    const waits = answers.flatMap(({ outputs }) => outputs.flatMap(({ id, wait }) => (wait ? [{ id, wait }] : [])))
    const approvals = answers.flatMap((answer) => answer.approvals)
    const changed = (id: string, now: object) => this.#seen.has(id) && this.#seen.get(id) !== now
    const news = [
      // A result that was waited for is told by the answer that follows it.
      ...waits.map(({ id, wait }) => {
        const isSaid = changed(id, wait) && wait.state !== 'waiting' && wait.state !== 'settled'
        return isSaid ? waitSentence(wait, strings) : ''
      }),
      ...approvals.map((now) => (changed(now.id, now) ? approvalNotes(now, this.#context).join('\n') : '')),
    ]
    this.#seen = new Map([
      ...waits.map(({ id, wait }): [string, object] => [id, wait]),
      ...approvals.map((now): [string, object] => [now.id, now]),
    ])
    return news.filter((text) => text !== '')
  }
}
