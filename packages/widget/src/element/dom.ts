interface Traits {
  /** Its class and its part, by which pages style it from outside. */
  part?: string
  text?: string
  /** Attributes. Those that a browser would run are never among them: listeners are added, styles are in a sheet. */
  attributes?: Readonly<Record<string, string>>
}

/** A new element. Text only ever becomes text, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { part, text, attributes = {} }: Traits = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  if (part) {
    made.className = part
    made.setAttribute('part', part)
  }
  if (text !== undefined) made.textContent = text
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

export function button(part: string, label: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { part, text: label, attributes: { type: 'button' } })
  made.addEventListener('click', onClick)
  return made
}

/** A button that shows a drawing and tells its label to those who do not see it. */
export function iconButton(part: string, icon: IconName, label: string, onClick: () => void): HTMLButtonElement {
  const made = button(part, '', onClick)
  setIcon(made, icon, label)
  return made
}

export function setIcon(target: HTMLButtonElement, icon: IconName, label: string): void {
  if (target.ariaLabel === label) return
  target.setAttribute('aria-label', label)
  target.title = label
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', ICONS[icon])
  svg.append(path)
  target.replaceChildren(svg)
}

export type IconName = keyof typeof ICONS

const SVG = 'http://www.w3.org/2000/svg'

const ICONS = {
  send: 'M12 19V5m-6 6 6-6 6 6',
  stop: 'M7 7h10v10H7z',
  close: 'M6 6l12 12M18 6 6 18',
  again: 'M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5',
  chat: 'M4 5h16v11H9l-5 4z',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  copied: 'M5 12l5 5 9-10',
  up: 'M8 20V11l4-8 2 1.5V9h6l-2 11zM4 11v9',
  down: 'M8 4v9l4 8 2-1.5V15h6L18 4zM4 4v9',
  save: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
}
