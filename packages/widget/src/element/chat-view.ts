import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import { button, element, iconButton, setIcon } from './dom.ts'
import { createTurnView, type TurnContext, type TurnView } from './turn-view.ts'

export interface ChatViewOptions extends TurnContext {
  suggestions: readonly string[]
  /** Null: the chat is always open. */
  close: (() => void) | null
}

const NEAR_END_PX = 80
// Older turns stay in the conversation and leave the page.
const MOST_TURNS = 100

/** The chat on the page: draws snapshots, and turns clicks and keys into actions. */
export class ChatView {
  readonly root: HTMLElement
  readonly #options: ChatViewOptions
  readonly #log: HTMLElement
  readonly #greeting: HTMLElement
  readonly #suggestions: HTMLElement
  readonly #input: HTMLTextAreaElement
  readonly #send: HTMLButtonElement
  readonly #clear: HTMLButtonElement
  readonly #live = element('div', { part: 'unseen', attributes: { 'aria-live': 'polite', role: 'status' } })
  readonly #turns = new Map<string, TurnView>()
  #ended: string | null = null
  #isBusy = false

  constructor(options: ChatViewOptions) {
    const { strings, close } = options
    this.#options = options
    this.#log = element('div', {
      part: 'log',
      attributes: { role: 'log', 'aria-live': 'off', 'aria-label': strings.conversation, tabindex: '0' },
    })
    this.#greeting = element('div', { part: 'greeting', text: strings.greeting, attributes: { dir: 'auto' } })
    this.#log.append(this.#greeting)
    this.#suggestions = element(
      'div',
      { part: 'suggestions', attributes: { role: 'group', 'aria-label': strings.suggestions } },
      ...options.suggestions.map((text) => button('suggestion', text, () => this.#ask(text))),
    )
    this.#input = element('textarea', {
      part: 'input',
      attributes: {
        rows: '1',
        dir: 'auto',
        maxlength: '8000',
        placeholder: strings.placeholder,
        'aria-label': strings.question,
      },
    })
    this.#send = iconButton('send', 'send', strings.send, () => this.#submit())
    this.#clear = iconButton('icon', 'again', strings.clear, () => this.#startOver())
    const heading = element('h2', { part: 'heading', text: strings.heading, attributes: { dir: 'auto' } })
    const header = element('header', { part: 'header' }, heading, this.#clear)
    if (close) header.append(iconButton('icon', 'close', strings.close, close))
    const form = element('div', { part: 'form' }, this.#input, this.#send)
    this.root = element(
      'section',
      { part: 'panel', attributes: { 'aria-label': strings.heading } },
      header,
      this.#log,
      this.#suggestions,
      form,
      this.#live,
    )
    this.#input.addEventListener('keydown', (event) => this.#onKey(event))
    this.#input.addEventListener('input', () => this.#fit())
    form.addEventListener('click', () => this.#input.focus())
    // A click that takes its own button away leaves the keyboard where the next question is written.
    this.#log.addEventListener('click', () => queueMicrotask(() => this.#keepFocus()))
  }

  /** What is written and not yet sent. */
  get draft(): string {
    return this.#input.value
  }
  set draft(text: string) {
    this.#input.value = text
  }

  focus(): void {
    this.#input.focus()
  }

  update({ turns, isBusy }: ConversationSnapshot): void {
    const { strings } = this.#options
    const isAtEnd = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < NEAR_END_PX
    const shown = turns.slice(-MOST_TURNS)
    const ids = new Set(shown.map(({ id }) => id))
    for (const [id, view] of this.#turns) if (!ids.has(id)) this.#drop(id, view)
    for (const turn of shown) {
      const view = this.#turns.get(turn.id) ?? this.#add(turn.id, createTurnView(turn, this.#options))
      view.update(turn, turn === turns.at(-1))
    }
    this.#isBusy = isBusy
    this.#log.setAttribute('aria-busy', String(isBusy))
    setIcon(this.#send, isBusy ? 'stop' : 'send', isBusy ? strings.stop : strings.send)
    this.#greeting.hidden = strings.greeting === ''
    this.#suggestions.hidden = turns.length > 0 || this.#suggestions.childElementCount === 0
    this.#clear.hidden = turns.length === 0
    this.#announce(turns)
    if (isAtEnd) this.#log.scrollTop = this.#log.scrollHeight
  }

  // Answers are read out once, when they are complete, and not word by word. What stands there at first is old.
  #announce(turns: ConversationSnapshot['turns']): void {
    const last = turns.at(-1)
    const ended = last?.role === 'assistant' && last.state !== 'running' ? `${last.id} ${last.state}` : ''
    if (ended === this.#ended) return
    const isNew = this.#ended !== null && ended !== ''
    this.#ended = ended
    this.#live.textContent = isNew && last ? (this.#turns.get(last.id)?.spokenText() ?? '') : ''
  }

  #add(id: string, view: TurnView): TurnView {
    this.#turns.set(id, view)
    this.#log.append(view.root)
    return view
  }

  #drop(id: string, view: TurnView): void {
    this.#turns.delete(id)
    view.root.remove()
  }

  #ask(text: string): void {
    this.#options.actions.send(text)
    this.#log.scrollTop = this.#log.scrollHeight
    this.#input.focus()
  }

  #submit(): void {
    if (this.#isBusy) {
      this.#options.actions.stop()
      return
    }
    const text = this.#input.value.trim()
    if (text === '') return
    this.#input.value = ''
    this.#fit()
    this.#ask(text)
  }

  #startOver(): void {
    this.#options.actions.clear()
    this.#input.focus()
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && this.#isBusy) {
      event.stopPropagation()
      this.#options.actions.stop()
    }
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || this.#isBusy) return
    event.preventDefault()
    this.#submit()
  }

  #fit(): void {
    this.#input.style.height = 'auto'
    this.#input.style.height = `${this.#input.scrollHeight}px`
  }

  #keepFocus(): void {
    requestAnimationFrame(() => {
      const root = this.root.getRootNode()
      if (root instanceof ShadowRoot && root.activeElement === null && document.activeElement === document.body) {
        this.#input.focus()
      }
    })
  }
}
