import { conversationText } from '../conversation/conversation-text.ts'
import { isDemo } from '../conversation/demo-line.ts'
import type { ConversationSnapshot, Turn } from '../conversation/snapshot.ts'
import { Announcer } from './announcer.ts'
import { button, element, iconButton, setIcon } from './dom.ts'
import { saveText } from './save-text.ts'
import { createTurnView, type TurnContext, type TurnView } from './turn-view.ts'

export interface ChatViewOptions extends TurnContext {
  suggestions: readonly string[]
  /** Null: the chat is always open. */
  close: (() => void) | null
}

const NEAR_END_PX = 80
// Older turns stay in the conversation and leave the page.
const MOST_TURNS = 100

/** The draft, and the place of the caret; -1 where the focus is elsewhere. */
export interface Draft {
  text: string
  caret: number
}

/** The chat on the page: draws snapshots, and turns clicks and keys into actions. */
export class ChatView {
  readonly root: HTMLElement
  /** Stands beside the chat: what is said there is heard while the chat itself is closed, too. */
  readonly announcer: Announcer
  readonly #options: ChatViewOptions
  readonly #log: HTMLElement
  readonly #greeting: HTMLElement
  readonly #suggestions: HTMLElement
  readonly #input: HTMLTextAreaElement
  readonly #send: HTMLButtonElement
  readonly #clear: HTMLButtonElement
  readonly #save: HTMLButtonElement
  readonly #demo: HTMLElement
  readonly #turns = new Map<string, TurnView>()
  #said: readonly Turn[] = []
  #isBusy = false

  constructor(options: ChatViewOptions) {
    const { strings, close } = options
    this.#options = options
    this.announcer = new Announcer(options)
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
    this.#save = iconButton('icon', 'save', strings.save, () => this.#saveConversation())
    const avatar = element('slot', { attributes: { name: 'avatar' } })
    // Its words have a direction of their own, and still begin where the header does.
    const heading = element('h2', { part: 'heading' }, element('bdi', { text: strings.heading }))
    this.#demo = element('span', { part: 'demo', text: strings.demo, attributes: { title: strings.demoTitle } })
    this.#demo.hidden = true
    const header = element('header', { part: 'header' }, avatar, heading, this.#demo, this.#save, this.#clear)
    if (close) header.append(iconButton('icon', 'close', strings.close, close))
    const form = element('div', { part: 'form' }, this.#input, this.#send)
    this.root = element(
      'section',
      { part: 'panel', attributes: { id: 'panel', 'aria-label': strings.heading } },
      header,
      this.#log,
      this.#suggestions,
      form,
    )
    this.#input.addEventListener('keydown', (event) => this.#onKey(event))
    this.#input.addEventListener('input', () => this.#fit())
    form.addEventListener('click', ({ target }) => {
      if (target === form) this.#input.focus()
    })
  }

  get draft(): Draft {
    const { value: text, selectionEnd } = this.#input
    return { text, caret: this.#input.matches(':focus') ? selectionEnd : -1 }
  }
  set draft({ text, caret }: Draft) {
    this.#input.value = text
    if (caret === -1) return
    this.#input.focus({ preventScroll: true })
    this.#input.setSelectionRange(caret, caret)
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
    this.#said = turns
    this.#isBusy = isBusy
    this.#log.setAttribute('aria-busy', String(isBusy))
    setIcon(this.#send, isBusy ? 'stop' : 'send', isBusy ? strings.stop : strings.send)
    this.#greeting.hidden = strings.greeting === ''
    this.#suggestions.hidden = turns.length > 0 || this.#suggestions.childElementCount === 0
    this.#clear.hidden = turns.length === 0
    this.#save.hidden = turns.length === 0
    this.#demo.hidden = !turns.some(isDemo)
    for (const reply of this.#log.querySelectorAll('.reply')) reply.setAttribute('aria-disabled', String(isBusy))
    this.announcer.update(turns, (id) => this.#turns.get(id)?.spokenText() ?? '')
    if (isAtEnd) this.#log.scrollTop = this.#log.scrollHeight
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
    // Where a finger asked, the keyboard would come up over the answer.
    const next = matchMedia('(pointer:coarse)').matches ? this.#log : this.#input
    next.focus({ preventScroll: true })
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

  #saveConversation(): void {
    const { heading, savedName, you } = this.#options.strings
    saveText(savedName, conversationText(this.#said, { user: you, assistant: heading }))
  }

  #startOver(): void {
    this.#options.actions.clear()
    this.#input.focus()
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && this.#isBusy && !event.isComposing) {
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
}
