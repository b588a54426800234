import { button, element, iconButton } from './dom.ts'
import type { Strings } from './strings.ts'

const MOST_SUGGESTIONS = 3

interface TeaserOptions {
  strings: Strings
  suggestions: readonly string[]
  ask(text: string): void
  dismiss(): void
}

/** The greeting beside a closed launcher, with the first suggestions. */
export function teaser({ strings, suggestions, ask, dismiss }: TeaserOptions): HTMLElement {
  const root = element(
    'div',
    { part: 'teaser', attributes: { role: 'group', 'aria-label': strings.heading } },
    element('div', { part: 'teaser-text', text: strings.greeting, attributes: { dir: 'auto' } }),
    iconButton('icon', 'close', strings.dismiss, dismiss),
  )
  if (suggestions.length > 0) {
    const buttons = suggestions.slice(0, MOST_SUGGESTIONS).map((text) => button('suggestion', text, () => ask(text)))
    root.append(element('div', { part: 'suggestions' }, ...buttons))
  }
  return root
}
