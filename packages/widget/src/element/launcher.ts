import { iconButton, setIcon } from './dom.ts'
import type { Strings } from './strings.ts'

/** The round button in the corner that opens and closes the chat, and tells of an answer that came meanwhile. */
export class Launcher {
  readonly root: HTMLButtonElement
  readonly #strings: Strings

  constructor(strings: Strings, onClick: () => void) {
    this.#strings = strings
    this.root = iconButton('launcher', 'chat', strings.open, onClick)
    this.root.setAttribute('aria-controls', 'panel')
  }

  show({ isOpen, hasNews }: { isOpen: boolean; hasNews: boolean }): void {
    const { open, openNews, close } = this.#strings
    setIcon(this.root, isOpen ? 'close' : 'chat', isOpen ? close : hasNews ? openNews : open)
    this.root.setAttribute('aria-expanded', String(isOpen))
    this.root.classList.toggle('news', hasNews)
  }
}
