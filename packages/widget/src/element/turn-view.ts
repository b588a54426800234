import { answerText } from '../conversation/conversation-text.ts'
import { withoutDemoLine } from '../conversation/demo-line.ts'
import { safeText } from '../conversation/safe-text.ts'
import type { UrlCheck } from '../conversation/safe-url.ts'
import type { AssistantTurn, Block, CapabilityBlock, Turn } from '../conversation/snapshot.ts'
import { approvalView } from './approval-view.ts'
import { copyText } from './clipboard.ts'
import { element, iconButton, setIcon } from './dom.ts'
import { MarkdownView } from './markdown-view.ts'
import { outputView } from './output-view.ts'
import { problemSentence, problemView } from './problem-view.ts'
import { signInView } from './sign-in-view.ts'
import { fill, type Strings, spoken } from './strings.ts'
import type { ViewActions } from './view-actions.ts'

export interface TurnContext {
  actions: ViewActions
  strings: Strings
  checkUrl: UrlCheck
  /** Milliseconds since the epoch. */
  now(): number
  language: string | undefined
}

/** One turn on the page. */
export interface TurnView {
  readonly root: HTMLElement
  update(turn: Turn, isLast: boolean): void
  /** The text for screen readers, once it is complete. */
  spokenText(): string
}

export function createTurnView(turn: Turn, context: TurnContext): TurnView {
  if (turn.role === 'assistant') return new AnswerView(context)
  // The text has a direction of its own, which must not decide on which side it stands.
  const text = element('div', { part: 'question-text', text: safeText(turn.text, 20_000), attributes: { dir: 'auto' } })
  const root = element('div', { part: 'question' }, text)
  return { root, update: () => undefined, spokenText: () => '' }
}

interface BlockView {
  readonly id: string
  readonly root: HTMLElement
  update(block: Block): void
}

class AnswerView implements TurnView {
  readonly root = element('div', { part: 'answer' })
  readonly #context: TurnContext
  readonly #said = element('div', { part: 'said' })
  readonly #rest = element('div', { part: 'rest' })
  #blocks: BlockView[] = []
  #turn: AssistantTurn | null = null
  #wasLast = false
  #wasThinking = false
  #sentence = ''

  constructor(context: TurnContext) {
    this.#context = context
    this.root.append(this.#said, this.#rest)
  }

  update(turn: Turn, isLast: boolean): void {
    if (turn.role !== 'assistant' || (turn === this.#turn && isLast === this.#wasLast)) return
    const before = this.#turn
    this.#turn = turn
    if (turn.blocks !== before?.blocks || turn.signIn !== before.signIn) this.#updateBlocks(shownBlocks(turn))
    const isSame =
      turn.state === before?.state &&
      turn.outputs === before.outputs &&
      turn.approvals === before.approvals &&
      turn.signIn === before.signIn &&
      (turn.feedback === null) === (before.feedback === null) &&
      turn.problem === before.problem
    const isThinking = turn.state === 'running' && turn.blocks.length === 0
    if (!isSame || isLast !== this.#wasLast || isThinking !== this.#wasThinking) {
      this.#updateRest(turn, isLast, isThinking)
    }
    // The buttons stay, and with them the focus.
    for (const thumb of this.#rest.querySelectorAll('.thumb')) {
      thumb.setAttribute('aria-pressed', String(thumb.getAttribute('value') === String(turn.feedback?.value)))
    }
    this.#wasLast = isLast
    this.#wasThinking = isThinking
  }

  spokenText(): string {
    const texts = [...this.root.querySelectorAll<HTMLElement>('.text, .cards, .wait > span, .approval-text')].map(
      (part) => part.innerText,
    )
    return [...texts, this.#sentence].join('\n').trim().slice(0, 2000)
  }

  #updateBlocks(blocks: readonly Block[]): void {
    // An answer that was begun anew has blocks of other ids.
    const kept = this.#blocks.findIndex((view, index) => view.id !== blocks[index]?.id)
    if (kept !== -1) for (const view of this.#blocks.splice(kept)) view.root.remove()
    for (const [index, block] of blocks.entries()) {
      const view = this.#blocks[index] ?? this.#addBlock(block)
      view.update(block)
    }
  }

  #addBlock(block: Block): BlockView {
    const { checkUrl, strings } = this.#context
    const view = block.type === 'text' ? textView(block.id, checkUrl, strings) : capabilityView(block, strings)
    this.#blocks.push(view)
    this.#said.append(view.root)
    return view
  }

  #updateRest(turn: AssistantTurn, isLast: boolean, isThinking: boolean): void {
    const { actions, strings, now, language } = this.#context
    const parts = turn.outputs.map((output) => outputView(output, actions, strings))
    parts.push(...turn.approvals.map((approval) => approvalView(approval, this.#context)))
    if (isThinking) parts.push(element('div', { part: 'thinking', text: strings.thinking }))
    if (turn.isCut) parts.push(element('p', { part: 'note', text: strings.cut }))
    this.#sentence = ''
    if (turn.problem) {
      const sentence = problemSentence(turn.problem, { strings, nowMs: now(), language })
      const names = turn.mayRepeat.map(spoken).join(', ')
      const warning = isLast && names !== '' ? fill(strings.mayRepeat, names) : ''
      const retry = isLast ? () => actions.retry() : null
      this.#sentence = `${sentence}\n${warning}`
      parts.push(problemView(turn.problem, { sentence, warning, strings, retry }))
    }
    if (turn.signIn && isLast && turn.approvals.length === 0) {
      parts.push(signInView(turn.signIn, strings, actions.signIn))
    }
    if (turn.state === 'completed' && answerText(turn) !== '') parts.push(answerTools(turn, strings, actions))
    // A button that goes with what it belongs to leaves the keyboard where it was, in the conversation.
    const hadFocus = this.#rest.matches(':focus-within')
    this.#rest.replaceChildren(...parts)
    if (hadFocus) this.root.closest<HTMLElement>('.log')?.focus({ preventScroll: true })
  }
}

// That a call waits for a sign-in stands at its button.
function shownBlocks({ blocks, signIn }: AssistantTurn): readonly Block[] {
  return signIn ? blocks.filter(({ id }) => !signIn.callIds.includes(id)) : blocks
}

function answerTools(turn: AssistantTurn, strings: Strings, actions: ViewActions): HTMLElement {
  const copy = iconButton('icon', 'copy', strings.copyAnswer, () => {
    void copyText(answerText(turn)).then((isCopied) => isCopied && setIcon(copy, 'copied', strings.copied))
  })
  return element('div', { part: 'answer-tools' }, copy, ...thumbs(turn, strings, actions))
}

function thumbs({ id, feedback }: AssistantTurn, strings: Strings, { rate }: ViewActions): HTMLElement[] {
  if (!feedback) return []
  return ([1, -1] as const).map((value) => {
    const [icon, label] = value === 1 ? (['up', strings.good] as const) : (['down', strings.bad] as const)
    const made = iconButton('icon', icon, label, () => rate(id, made.ariaPressed === 'true' ? null : value))
    made.classList.add('thumb')
    made.value = String(value)
    return made
  })
}

function textView(id: string, checkUrl: UrlCheck, strings: Strings): BlockView {
  const view = new MarkdownView(checkUrl, strings)
  return {
    id,
    root: view.root,
    update(block) {
      if (block.type === 'text') view.update(withoutDemoLine(block.text))
    },
  }
}

function capabilityView({ id }: CapabilityBlock, strings: Strings): BlockView {
  const [mark, label] = [element('span'), element('span')]
  const root = element('div', { part: 'capability' }, mark, label)
  return {
    id,
    root,
    update(block) {
      if (block.type !== 'capability') return
      const { state } = block
      const template = state === 'completed' ? strings.done : strings[state === 'failed' ? 'broken' : state]
      mark.className = `mark ${state}`
      label.textContent = fill(template, spoken(block.name))
    },
  }
}
