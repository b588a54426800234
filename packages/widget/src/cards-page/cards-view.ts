import { isRecord } from '../client/read-json.ts'
import { createUrlCheck } from '../conversation/safe-url.ts'
import type { Output, Wait } from '../conversation/snapshot.ts'
import { readSvcOutput } from '../conversation/svc-output.ts'
import { element } from '../element/dom.ts'
import { type OutputActions, outputView } from '../element/output-view.ts'
import { STRINGS } from '../element/strings.ts'
import type { Host } from './host-bridge.ts'

const REFUSED = 'That did not work here.'
const checkUrl = createUrlCheck(null)

/** What the result of a tool gives to be shown, in a root; what its buttons and links do, the host is asked for. */
export class CardsView {
  readonly #root: ShadowRoot
  readonly #host: Host
  readonly #drawn: () => void
  /** Whether the host takes calls of tools from its pages. */
  canCall = false
  // Stays in the page: what is said in it is read out.
  readonly #status = element('p', { part: 'note', attributes: { role: 'status' } })
  #shown: HTMLElement | null = null
  #output: Output | null = null
  #isBusy = false
  #isRefused = false
  readonly #actions: OutputActions = {
    send: (text) => void this.#ask('ui/message', { role: 'user', content: [{ type: 'text', text }] }),
    checkAgain: () => void this.#checkAgain(),
    cancelWait: () => this.#setWait('cancelled'),
  }

  constructor(root: ShadowRoot, host: Host, drawn: () => void) {
    this.#root = root
    this.#host = host
    this.#drawn = drawn
    root.append(this.#status)
    for (const type of ['click', 'auxclick']) root.addEventListener(type, (event) => this.#follow(event))
  }

  /** Draws the result of a tool; of one that says nothing to be shown, nothing. */
  show(result: Record<string, unknown>): void {
    const { cards, actions, pending } = readResult(result)
    const wait: Wait | null = this.canCall && pending ? { state: 'expired', pending, deadlineAt: 0 } : null
    this.#output = { id: '', cards, actions, wait }
    this.#isRefused = false
    this.#draw()
  }

  #draw(): void {
    const output = this.#output
    const isShown = output && (output.cards.length > 0 || output.actions.length > 0 || output.wait !== null)
    this.#status.textContent = this.#isRefused ? REFUSED : ''
    const hadFocus = this.#root.activeElement !== null
    this.#shown?.remove()
    this.#shown = isShown ? outputView(output, this.#actions, STRINGS) : null
    if (this.#shown) this.#status.before(this.#shown)
    if (hadFocus) this.#root.querySelector<HTMLElement>('button, a')?.focus()
    this.#drawn()
  }

  // The page is in a frame that opens nothing by itself.
  #follow(event: Event): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    // A right click opens the browser’s own menu.
    if (!link || (event instanceof MouseEvent && event.button > 1)) return
    event.preventDefault()
    void this.#ask('ui/open-link', { url: link.href })
  }

  /** One at a time: a second click is meant for the first. */
  async #ask(method: string, params: object): Promise<Record<string, unknown> | null> {
    if (this.#isBusy) return null
    this.#isBusy = true
    const answer = await this.#host.request(method, params).catch(() => ({ isError: true }))
    this.#isBusy = false
    const [isRefused, wasRefused] = [answer['isError'] === true, this.#isRefused]
    this.#isRefused = isRefused
    if (isRefused !== wasRefused) this.#draw()
    return isRefused ? null : answer
  }

  // Nothing is called before somebody asks for it: a host may show each call to its user.
  async #checkAgain(): Promise<void> {
    const { wait } = this.#output ?? {}
    if (!wait || this.#isBusy) return
    const { capability: name, input } = wait.pending
    this.#setWait('waiting')
    const result = await this.#ask('tools/call', { name, arguments: input })
    if (this.#output?.wait?.state !== 'waiting') return
    if (result === null || !readResult(result).isSettled) this.#setWait('expired')
    else this.#setWait('settled')
  }

  #setWait(state: Wait['state']): void {
    const output = this.#output
    if (!output?.wait) return
    this.#output = { ...output, wait: { ...output.wait, state } }
    this.#draw()
  }
}

function readResult({ isError, _meta }: Record<string, unknown>) {
  const svc = isError !== true && isRecord(_meta) ? _meta['svc'] : null
  return readSvcOutput({ svc }, checkUrl)
}
