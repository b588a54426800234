import type { Output, Wait } from '../conversation/snapshot.ts'
import type { Action, ProductCard } from '../conversation/svc-output.ts'
import { button, element } from './dom.ts'
import { link } from './link.ts'
import { fill, type Strings, spoken } from './strings.ts'
import type { ViewActions } from './view-actions.ts'

/** The actions of an output's buttons. */
export type OutputActions = Pick<ViewActions, 'send' | 'checkAgain' | 'cancelWait'>

/** What a capability gave to be shown: cards, what to do next, and what is still waited for. */
export function outputView(output: Output, actions: OutputActions, strings: Strings): HTMLElement {
  const root = element('div', { part: 'output' })
  if (output.cards.length > 0) {
    const cards = output.cards.map((card) => cardView(card, actions, strings))
    root.append(element('ul', { part: 'cards', attributes: { role: 'list' } }, ...cards))
  }
  if (output.wait) root.append(waitView(output.id, output.wait, { actions, strings }))
  // Offers made while something was open end with it.
  if (output.actions.length > 0 && output.wait?.state !== 'settled') {
    root.append(actionsView(output.actions, actions, strings))
  }
  return root
}

function actionsView(offered: readonly Action[], actions: OutputActions, strings: Strings): HTMLElement {
  return element('div', { part: 'actions' }, ...offered.map((action) => actionView(action, actions, strings)))
}

function cardView(card: ProductCard, actions: OutputActions, strings: Strings): HTMLElement {
  const title = element('span', { text: card.title, attributes: { dir: 'auto' } })
  const body = element(
    'div',
    { part: 'card-body' },
    element('div', { part: 'card-title' }, card.url ? link(card.url, strings, title) : title),
  )
  if (card.description) {
    body.append(element('div', { part: 'card-description', text: card.description, attributes: { dir: 'auto' } }))
  }
  if (card.price) body.append(element('div', { part: 'card-price', text: card.price, attributes: { dir: 'auto' } }))
  if (card.actions.length > 0) body.append(actionsView(card.actions, actions, strings))
  const root = element('li', { part: 'card' }, body)
  if (card.image) root.prepend(imageView(card.image))
  return root
}

function imageView({ url, alt }: { url: string; alt: string }): HTMLElement {
  const image = element('img', {
    part: 'card-image',
    attributes: { alt, loading: 'lazy', decoding: 'async', referrerpolicy: 'no-referrer' },
  })
  image.addEventListener('error', () => image.remove())
  image.src = url
  return image
}

function actionView(action: Action, { send }: OutputActions, strings: Strings): HTMLElement {
  const label = element('span', { text: action.label, attributes: { dir: 'auto' } })
  const { description: text } = action
  const description = text ? [element('span', { part: 'action-description', text, attributes: { dir: 'auto' } })] : []
  if (action.type === 'reply') {
    const reply = button('action', '', () => send(action.value))
    reply.classList.add('reply')
    reply.append(label, ...description)
    return reply
  }
  const made = link(action.url, strings, label, ...description)
  made.className = action.isPrimary ? 'action primary' : 'action'
  made.setAttribute('part', made.className)
  return made
}

/** How a wait stands, as a sentence. */
export function waitSentence({ state, pending }: Wait, strings: Strings): string {
  return fill(strings[state === 'refused' ? 'refused_wait' : state], pending.label ?? spoken(pending.capability))
}

function waitView(
  id: string,
  wait: Wait,
  { actions, strings }: { actions: OutputActions; strings: Strings },
): HTMLElement {
  const { state } = wait
  const text = waitSentence(wait, strings)
  const root = element('div', { part: 'wait' }, element('span', { part: `mark ${state}` }), element('span', { text }))
  if (state === 'waiting') root.append(button('quiet', strings.cancelWait, () => actions.cancelWait(id)))
  if (state === 'expired' || state === 'cancelled') {
    root.append(button('quiet', strings.checkAgain, () => actions.checkAgain(id)))
  }
  return root
}
