import type { Problem, ProblemKind } from '../conversation/problem.ts'
import { copyText } from './clipboard.ts'
import { button, element } from './dom.ts'
import { fill, type Strings, timeUntil } from './strings.ts'

/** Why there is no answer, as a sentence. */
export function problemSentence(
  { kind, retryAt }: Problem,
  { strings, nowMs, language }: { strings: Strings; nowMs: number; language: string | undefined },
): string {
  if (kind !== 'rate_limited' || retryAt === null) return strings[kind]
  return fill(strings.rate_limited_until, timeUntil(retryAt, nowMs, language))
}

interface ProblemTexts {
  sentence: string
  /** What trying again may do; empty where it does nothing twice. */
  warning: string
}

// What else there is to say of these stands in their sentence already.
const TOLD: ReadonlySet<ProblemKind> = new Set(['no_token', 'unreachable', 'interrupted', 'rate_limited'])

/** The sentence, with a way on, what that may bring about, and what the owner finds the case by. */
export function problemView(
  problem: Problem,
  { sentence, warning, strings, retry }: ProblemTexts & { strings: Strings; retry: (() => void) | null },
): HTMLElement {
  const root = element('div', { part: 'problem' }, element('p', { text: sentence, attributes: { dir: 'auto' } }))
  const { kind, detail, referenceId } = problem
  if (detail && !TOLD.has(kind)) root.append(element('p', { part: 'note', text: detail, attributes: { dir: 'auto' } }))
  if (warning) root.append(element('p', { part: 'note', text: warning, attributes: { dir: 'auto' } }))
  const row = element('div', { part: 'row' })
  if (retry) row.append(button('action', strings.retry, retry))
  if (referenceId)
    row.append(
      element('span', { part: 'note' }, `${strings.reference} `, idOf(referenceId)),
      copyButton(referenceId, strings),
    )
  if (row.childElementCount > 0) root.append(row)
  return root
}

function idOf(id: string): HTMLElement {
  return element('code', { part: 'reference', text: id, attributes: { dir: 'ltr' } })
}

function copyButton(text: string, strings: Strings): HTMLElement {
  const made = button('quiet', strings.copy, () => {
    // Where the page may not copy, the id stands there to be selected.
    void copyText(text).then((isCopied) => {
      if (isCopied) made.textContent = strings.copied
    })
  })
  return made
}
