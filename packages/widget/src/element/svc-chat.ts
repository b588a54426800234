import type { JsonObject, WidgetSettings } from '@svc/contract'
import { systemClock } from '../client/clock.ts'
import { createExecutionClient, type EndUserTokenSource, type ExecutionClient } from '../client/execution-client.ts'
import { type Conversation, createConversation } from '../conversation/conversation.ts'
import { safeLine } from '../conversation/safe-text.ts'
import { createUrlCheck } from '../conversation/safe-url.ts'
import type { SignInRequest } from '../conversation/sign-in.ts'
import type { AssistantTurn } from '../conversation/snapshot.ts'
import { webStorage } from '../conversation/web-storage.ts'
import { accentSheet } from './accent.ts'
import { ChatView } from './chat-view.ts'
import { Launcher } from './launcher.ts'
import { openSignIn } from './open-sign-in.ts'
import { fill, STRINGS, type Strings } from './strings.ts'
import { styleSheet, systemSchemeSheet } from './styles.ts'
import { teaser } from './teaser.ts'
import type { ViewActions } from './view-actions.ts'

/** What `svc-answer` tells when an answer has ended: no text, only how it went and which capabilities ran. */
export interface AnswerDetail {
  state: 'completed' | 'failed'
  capabilities: string[]
}

/** What `svc-sign-in` tells: the names of what was refused because nobody is signed in. */
export interface SignInDetail {
  capabilities: string[]
}

// Of these a change begins another conversation; of all others it draws the same one anew.
const IDENTITY = ['base-url', 'public-key', 'persist', 'storage-key']
const TEXTS = ['heading', 'greeting', 'placeholder'] as const
const PROPERTIES = ['endUserToken', 'metadata', 'strings', 'suggestions'] as const

/** The control plane that the script itself came from, for pages that name none. */
const ORIGIN = new URL(import.meta.url).origin

// Servers that render pages import this file, too, and have no elements: there the class is never made use of.
const Base = elementClass(globalThis.HTMLElement ?? class {})

/** `<svc-chat public-key="svc_pk_…">`: a chat with a runtime, in a shadow root that the page’s styles do not reach. */
export class SvcChatElement extends Base {
  static readonly observedAttributes = [...IDENTITY, ...TEXTS, 'suggestions', 'launcher', 'lang', 'open']

  readonly #root: ShadowRoot
  readonly #panel = document.createElement('div')
  #endUserToken: EndUserTokenSource | null = null
  #metadata: JsonObject | undefined
  #settings: WidgetSettings | null = null
  #strings: Partial<Strings> = {}
  #suggestions: readonly string[] | null = null
  #conversation: Conversation | null = null
  #view: ChatView | null = null
  #launcher: Launcher | null = null
  #teaser: HTMLElement | null = null
  #isTeaserDismissed = false
  #disconnect: (() => void) | null = null
  #release: (() => void) | null = null
  #isRedrawDue = false
  #hasNews = false
  #running: string | null = null

  constructor() {
    super()
    this.#root = this.attachShadow({ mode: 'closed' })
    this.#panel.className = 'host'
    this.#root.append(this.#panel)
    this.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !event.isComposing && this.hasAttribute('launcher')) this.open = false
    })
  }

  /** Gives the end user’s own credential, with each request anew. */
  get endUserToken(): EndUserTokenSource | null {
    return this.#endUserToken
  }
  set endUserToken(value: EndUserTokenSource | null) {
    this.#endUserToken = value
    if (value) void this.#conversation?.signedIn()
  }

  /** Sent with each execution and kept in its trace. */
  get metadata(): JsonObject | undefined {
    return this.#metadata
  }
  set metadata(value: JsonObject | undefined) {
    this.#metadata = value
  }

  /** Texts in place of the built-in ones. */
  get strings(): Partial<Strings> {
    return this.#strings
  }
  set strings(value: Partial<Strings>) {
    this.#strings = value
    this.#draw()
  }

  /** Questions to start with. A text has one a line, as the attribute: React sets properties where there is one. */
  get suggestions(): readonly string[] {
    return (
      this.#suggestions ??
      linesOf(this.getAttribute('suggestions')) ??
      this.#settings?.suggestions.flatMap((text) => safeLine(text, 80) || []) ??
      []
    )
  }
  set suggestions(value: readonly string[] | string) {
    this.#suggestions = typeof value === 'string' ? linesOf(value) : value
    this.#draw()
  }

  /** Whether the panel of a launcher is open. */
  get open(): boolean {
    return this.hasAttribute('open')
  }
  set open(value: boolean) {
    this.toggleAttribute('open', value)
    if (value) this.#view?.focus()
    else this.#launcher?.root.focus()
  }

  /** The store behind the chat; null until the element has a key and stands in a page. */
  get conversation(): Conversation | null {
    return this.#conversation
  }

  /** Asks a question in the end user’s name. False while an answer is under way. */
  ask(text: string): boolean {
    if (this.hasAttribute('launcher')) this.open = true
    return this.#conversation?.send(text) ?? false
  }

  /** Puts the keyboard where questions are written. */
  override focus(): void {
    this.#view?.focus()
  }

  /** Forgets the conversation, in the storage, too: for when somebody signs out. */
  clear(): void {
    this.#conversation?.clear()
  }

  connectedCallback(): void {
    for (const name of PROPERTIES) this.#upgrade(name)
    if (!this.#conversation) {
      this.#begin()
      return
    }
    this.#release ??= this.#conversation.hold()
    // It may stand elsewhere in the page now.
    this.#followScheme()
  }

  disconnectedCallback(): void {
    this.#letGo()
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return
    if (name === 'open') this.#showOpen()
    else if (IDENTITY.includes(name)) this.#begin()
    else this.#draw()
  }

  // What a page had set before the script came stands in the way of the accessors.
  #upgrade(name: (typeof PROPERTIES)[number]): void {
    if (!Object.hasOwn(this, name)) return
    const value: unknown = this[name]
    Reflect.deleteProperty(this, name)
    Reflect.set(this, name, value)
  }

  #begin(): void {
    if (!this.isConnected) return
    this.#forgetNews()
    this.#disconnect?.()
    this.#letGo()
    this.#conversation = null
    const publicKey = this.getAttribute('public-key')
    if (!publicKey) {
      this.#view = null
      this.#panel.replaceChildren()
      return
    }
    const persist = this.getAttribute('persist')
    const metadata = () => this.#metadata
    const client = createExecutionClient({
      baseUrl: this.getAttribute('base-url') ?? ORIGIN,
      publicKey,
      endUserToken: () => this.#endUserToken?.(),
      get metadata() {
        return metadata()
      },
    })
    const key = this.getAttribute('storage-key') ?? `svc-chat:${publicKey}`
    const storage = persist === 'session' || persist === 'local' ? webStorage(persist, key) : null
    // Also of a conversation that is kept for longer: the key of a run belongs to its tab.
    const runStorage = storage && webStorage('session', `${key}:run`)
    const approvalStorage = storage && webStorage('session', `${key}:approvals`)
    const pageOrigin = location.origin
    const conversation = createConversation({ client, storage, runStorage, approvalStorage, pageOrigin })
    this.#conversation = conversation
    const ends = [
      conversation.subscribe(() => this.#changed(conversation)),
      conversation.onSignIn((request) => this.#tellSignIn(conversation, request)),
    ]
    this.#disconnect = () => {
      for (const end of ends) end()
    }
    this.#settings = null
    this.#draw()
    this.#release = conversation.hold()
    void this.#readSettings(client)
  }

  // A page that says all of it itself is asked for nothing. Where they cannot be read, the chat is as it was.
  async #readSettings(client: ExecutionClient): Promise<void> {
    const isSaid = ['heading', 'greeting', 'suggestions'].every((name) => this.hasAttribute(name))
    if (isSaid && getComputedStyle(this).getPropertyValue('--svc-accent')) return
    const conversation = this.#conversation
    const settings = await client.settings().catch(() => null)
    if (!settings || this.#conversation !== conversation) return
    // To draw the chat anew for nothing would replace what a screen reader listens to.
    if (!settings.name && !settings.accent && settings.suggestions.length === 0) return
    this.#settings = settings
    this.#draw()
  }

  #letGo(): void {
    this.#release?.()
    this.#release = null
  }

  #draw(): void {
    const conversation = this.#conversation
    if (!conversation) return
    const strings: Strings = { ...STRINGS, ...this.#deployed(), ...this.#strings }
    for (const name of TEXTS) strings[name] = this.getAttribute(name) ?? strings[name]
    const isLauncher = this.hasAttribute('launcher')
    const close = isLauncher
      ? () => {
          this.open = false
        }
      : null
    const draft = this.#view?.draft
    this.#view = new ChatView({
      actions: actionsOf(conversation),
      strings,
      checkUrl: createUrlCheck(location.origin),
      now: systemClock.now,
      language: this.closest<HTMLElement>('[lang]')?.lang,
      suggestions: this.suggestions.slice(0, 6),
      close,
    })
    this.#launcher = isLauncher
      ? new Launcher(strings, () => {
          this.open = !this.open
        })
      : null
    this.#teaser = isLauncher && strings.greeting !== '' ? this.#newTeaser(strings) : null
    const { root, announcer } = this.#view
    const launcherParts = [this.#teaser, this.#launcher?.root].filter((part) => part instanceof HTMLElement)
    this.#panel.replaceChildren(announcer.root, root, ...launcherParts)
    this.#showOpen()
    if (draft) this.#view.draft = draft
    this.#update(conversation)
  }

  #deployed(): Partial<Strings> {
    const heading = safeLine(this.#settings?.name ?? '', 80)
    const { welcome } = { ...STRINGS, ...this.#strings }
    return heading ? { heading, greeting: fill(welcome, heading) } : {}
  }

  #newTeaser(strings: Strings): HTMLElement {
    return teaser({
      strings,
      suggestions: this.suggestions,
      ask: (text) => void this.ask(text),
      dismiss: () => {
        this.#isTeaserDismissed = true
        if (this.#teaser) this.#teaser.hidden = true
        this.#launcher?.root.focus()
      },
    })
  }

  #update(conversation: Conversation): void {
    const snapshot = conversation.getSnapshot()
    this.#view?.update(snapshot)
    if (this.#teaser) this.#teaser.hidden = this.#isTeaserDismissed || snapshot.turns.length > 0
  }

  #followScheme(): void {
    const { colorScheme } = getComputedStyle(this.parentElement ?? document.documentElement)
    const accent = this.#settings?.accent
    this.#root.adoptedStyleSheets = [
      styleSheet(),
      ...(accent ? [accentSheet(accent)] : []),
      ...(colorScheme === 'normal' ? [systemSchemeSheet()] : []),
    ]
  }

  #showOpen(): void {
    if (this.isConnected) this.#followScheme()
    if (this.open) this.#hasNews = false
    this.#launcher?.show({ isOpen: this.open, hasNews: this.#hasNews })
  }

  #forgetNews(): void {
    this.#hasNews = false
    this.#running = null
    this.#showOpen()
  }

  #changed(conversation: Conversation): void {
    this.#tellAnswer(conversation)
    if (this.#isRedrawDue) return
    this.#isRedrawDue = true
    requestAnimationFrame(() => {
      this.#isRedrawDue = false
      if (this.#conversation) this.#update(this.#conversation)
    })
  }

  #tellSignIn(conversation: Conversation, { capabilities }: SignInRequest): void {
    const detail: SignInDetail = { capabilities: [...capabilities] }
    const isHandled = !this.dispatchEvent(new CustomEvent('svc-sign-in', { detail, bubbles: true, cancelable: true }))
    const address = this.getAttribute('sign-in-url')
    if (address && !isHandled) openSignIn(address, () => conversation.signedIn())
  }

  #tellAnswer(conversation: Conversation): void {
    const last = conversation.getSnapshot().turns.at(-1)
    if (!last) this.#forgetNews()
    if (last?.role !== 'assistant') return
    if (last.state === 'running') {
      this.#running = last.id
      return
    }
    if (this.#running !== last.id) return
    this.#running = null
    // Taken out of its page, it ends the answer itself: that is no news.
    if (!this.isConnected) return
    this.#hasNews = true
    this.#showOpen()
    const detail: AnswerDetail = { state: last.state, capabilities: capabilitiesOf(last) }
    this.dispatchEvent(new CustomEvent('svc-answer', { detail, bubbles: true }))
  }
}

function elementClass(value: unknown): typeof HTMLElement {
  if (!isElementClass(value)) throw new TypeError('no class')
  return value
}

function isElementClass(value: unknown): value is typeof HTMLElement {
  return typeof value === 'function'
}

function capabilitiesOf({ blocks }: AssistantTurn): string[] {
  return blocks.flatMap((block) => (block.type === 'capability' ? [block.name] : []))
}

function actionsOf(conversation: Conversation): ViewActions {
  return {
    send: (text) => void conversation.send(text),
    stop: () => conversation.stop(),
    retry: () => void conversation.retry(),
    checkAgain: (id) => conversation.checkAgain(id),
    cancelWait: (id) => conversation.cancelWait(id),
    decide: (id, decision) => conversation.decide(id, decision),
    rate: (id, value) => conversation.rate(id, value),
    signIn: () => conversation.signIn(),
    clear: () => conversation.clear(),
  }
}

function linesOf(text: string | null): readonly string[] | null {
  return text?.split('\n').filter((line) => line.trim()) ?? null
}
