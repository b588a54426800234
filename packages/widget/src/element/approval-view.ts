import type { Approval } from '../conversation/snapshot.ts'
import { button, element } from './dom.ts'
import { problemSentence } from './problem-view.ts'
import type { Strings } from './strings.ts'
import type { ViewActions } from './view-actions.ts'

/** What an approval is told with. */
export interface ApprovalContext {
  strings: Strings
  now(): number
  language: string | undefined
}

/** What a call would do, the two answers to that, and what became of it. */
export function approvalView(
  approval: Approval,
  context: ApprovalContext & { actions: Pick<ViewActions, 'decide'> },
): HTMLElement {
  const { strings, language } = context
  const { title, lines, amount, state, problem } = approval
  const isOpen = state === 'pending' || state === 'deciding'
  const text = element('div', { part: 'approval-text' })
  if (isOpen) text.append(element('span', { part: 'approval-label', text: strings.approval }))
  text.append(
    element('span', { part: 'approval-title', text: title, attributes: { dir: 'auto' } }),
    ...lines.map((line) => element('span', { part: 'approval-line', text: line, attributes: { dir: 'auto' } })),
  )
  if (amount) text.append(element('span', { part: 'approval-amount', text: amountText(amount, language) }))
  const attributes = { role: 'group', 'aria-label': `${strings.approval}: ${title}` }
  const root = element('div', { part: 'approval', attributes }, text)
  root.classList.add(isOpen ? 'open' : 'ended')
  const [sentence, ...more] = approvalNotes(approval, context)
  if (sentence) {
    const mark = state === 'pending' ? [] : [element('span', { part: `mark ${state}` })]
    const note = element('span', { text: sentence, attributes: { dir: 'auto' } })
    root.append(element('div', { part: `approval-state${problem ? ' alarm' : ''}` }, ...mark, note))
  }
  for (const note of more) root.append(element('p', { part: 'note', text: note, attributes: { dir: 'auto' } }))
  if (isOpen) root.append(choices(approval, context))
  return root
}

function choices(
  { id, title, state }: Approval,
  { actions, strings }: Parameters<typeof approvalView>[1],
): HTMLElement {
  const [approve, decline] = (['approve', 'decline'] as const).map((decision) => {
    const made = button('action', strings[decision], () => actions.decide(id, decision))
    made.setAttribute('aria-label', `${strings[decision]}: ${title}`)
    made.disabled = state === 'deciding'
    return made
  })
  approve?.classList.add('primary')
  return element('div', { part: 'row' }, ...[approve, decline].flatMap((made) => made ?? []))
}

/** How an approval stands, in sentences; none while nothing is to be said of it. */
export function approvalNotes(
  { state, problem }: Approval,
  { strings, now, language }: ApprovalContext,
): readonly string[] {
  const lost = { ...strings, unreachable: strings.approval_lost }
  if (state === 'pending') return problem ? [problemSentence(problem, { strings: lost, nowMs: now(), language })] : []
  const reason = state === 'failed' ? problem?.detail : null
  return [strings[`approval_${state}`], ...(reason ? [reason] : [])]
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
