import type { Approval } from '../conversation/snapshot.ts'
import { button, element } from './dom.ts'
import { problemSentence } from './problem-view.ts'
import type { Strings } from './strings.ts'
import type { ViewActions } from './view-actions.ts'

interface ApprovalContext {
  actions: Pick<ViewActions, 'decide'>
  strings: Strings
  now(): number
  language: string | undefined
}

/** What a call would do, the two answers to that, and what became of it. */
export function approvalView(approval: Approval, context: ApprovalContext): HTMLElement {
  const { strings, language } = context
  const { title, lines, amount, state } = approval
  const text = element(
    'div',
    { part: 'approval-text' },
    element('span', { part: 'note', text: strings.approval }),
    element('span', { part: 'approval-title', text: title, attributes: { dir: 'auto' } }),
    ...lines.map((line) => element('span', { part: 'approval-line', text: line, attributes: { dir: 'auto' } })),
  )
  if (amount) text.append(element('span', { part: 'card-price', text: amountText(amount, language) }))
  const attributes = { role: 'group', 'aria-label': `${strings.approval}: ${title}` }
  const root = element('div', { part: 'approval', attributes }, text)
  if (state === 'pending' || state === 'deciding') root.append(choices(approval, context))
  for (const note of notes(approval, context)) {
    root.append(element('p', { part: 'note', text: note, attributes: { dir: 'auto' } }))
  }
  return root
}

function choices({ id, title, state }: Approval, { actions, strings }: ApprovalContext): HTMLElement {
  const [approve, decline] = (['approve', 'decline'] as const).map((decision) => {
    const made = button('action', strings[decision], () => actions.decide(id, decision))
    made.setAttribute('aria-label', `${strings[decision]}: ${title}`)
    made.disabled = state === 'deciding'
    return made
  })
  approve?.classList.add('primary')
  return element('div', { part: 'row' }, ...[approve, decline].flatMap((made) => made ?? []))
}

/** How an approval stands, as a sentence; empty while it is pending. */
export function approvalSentence({ state }: Approval, strings: Strings): string {
  return strings[`approval_${state}`]
}

function notes(approval: Approval, { strings, now, language }: ApprovalContext): string[] {
  const { state, problem } = approval
  const sentence = approvalSentence(approval, strings)
  const isNotSent = state === 'pending' && problem
  const more = isNotSent ? problemSentence(problem, { strings, nowMs: now(), language }) : problem?.detail
  return [sentence, more ?? ''].filter((text) => text !== '')
}

// Every digit: nobody approves a rounded amount.
function amountText({ value, currency }: NonNullable<Approval['amount']>, language: string | undefined): string {
  const options = { style: 'currency', currency, maximumFractionDigits: 20 } as const
  for (const locale of [language, 'en']) {
    try {
      return new Intl.NumberFormat(locale, options).format(value)
    } catch {}
  }
  return `${value} ${currency}`
}
