/** What puts a runtime’s chat onto a page: the script that the service at `origin` has for everybody, and the element. */
export function embedLines(origin: string, publicKey: string): string {
  return embedSnippet('script', { origin, publicKey, choices: PLAIN })
}

/** How a chat looks on its page. An empty text leaves it to the runtime or to the page. */
export interface EmbedChoices {
  heading: string
  greeting: string
  /** One a line. */
  suggestions: string
  /** `#rrggbb`. */
  color: string
  theme: '' | 'light' | 'dark'
  direction: '' | 'ltr' | 'rtl'
  position: 'corner' | 'page'
}

export const PLAIN: EmbedChoices = {
  ...{ heading: '', greeting: '', suggestions: '', color: '', theme: '', direction: '', position: 'corner' },
}

export const EMBED_KINDS = { script: 'Script tag', npm: 'npm', react: 'React', next: 'Next.js' } as const
export type EmbedKind = keyof typeof EMBED_KINDS

interface Embedded {
  origin: string
  publicKey: string
  choices: EmbedChoices
}

/** The attributes of the element, in the order in which they are written. */
export function embedAttributes({ choices }: Pick<Embedded, 'choices'>): [name: string, value: string][] {
  const { heading, greeting, color, theme, direction, position } = choices
  const suggestions = choices.suggestions
    .split('\n')
    .filter((line) => line.trim())
    .join('\n')
  const style = color && `--svc-accent: ${color}; --svc-on-accent: ${isLight(color) ? '#000' : '#fff'}`
  const given = Object.entries({ heading, greeting, suggestions, theme, dir: direction, style })
  const launcher: [string, string][] = position === 'corner' ? [['launcher', '']] : []
  return [...given.filter(([, value]) => value !== ''), ...launcher]
}

/** The code for one kind of page. Whatever was typed stays a text in it. */
export function embedSnippet(kind: EmbedKind, embedded: Embedded): string {
  const { origin, publicKey } = embedded
  const own = embedAttributes(embedded)
  if (kind === 'script') {
    return `<script type="module" src="${origin}/widget.js"></script>\n${tag([['public-key', publicKey], ...own])}`
  }
  const all: [string, string][] = [['public-key', publicKey], ['base-url', origin], ...own]
  if (kind === 'npm') return `npm install @svc/widget\n\nimport '@svc/widget/element'\n\n${tag(all)}`
  const first = kind === 'next' ? "'use client'\n\n" : ''
  return `${first}import '@svc/widget/element'
import { createElement } from 'react'

export function Chat() {
  return createElement('svc-chat', {
${all.map(property).join('\n')}
  })
}`
}

function tag(attributes: readonly [string, string][]): string {
  const written = attributes.map(([name, value]) => (value === '' ? name : `${name}="${escaped(value)}"`))
  return `<svc-chat ${written.join(' ')}></svc-chat>`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  '<': '&lt;',
  '>': '&gt;',
  '\n': '&#10;',
}

function escaped(value: string): string {
  return value.replace(/[&"<>\n]/g, (character) => ESCAPES[character] ?? character)
}

function property([name, value]: [string, string]): string {
  const key = /^[a-z]+$/.test(name) ? name : `'${name}'`
  return `    ${key}: ${name === 'style' ? styleObject(value) : JSON.stringify(value)},`
}

// React takes a style as an object.
function styleObject(style: string): string {
  const entries = style.split('; ').map((entry) => entry.split(': '))
  return `{ ${entries.map(([name, value]) => `'${name}': '${value}'`).join(', ')} }`
}

// Black is the more legible one on a colour from about this lightness on.
function isLight(color: string): boolean {
  const value = Number.parseInt(color.slice(1), 16)
  return 0.299 * (value >> 16) + 0.587 * ((value >> 8) & 255) + 0.114 * (value & 255) > 150
}
