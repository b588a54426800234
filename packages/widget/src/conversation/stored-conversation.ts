import { isRecord, numberOf, readMessages } from '../client/read-json.ts'
import { isOpen, storedApproval } from './approval.ts'
import {
  askedExchange,
  completed,
  type Exchange,
  failed,
  mayRepeatOf,
  rateable,
  withApprovals,
  withTurns,
  withWait,
} from './exchange.ts'
import { problem } from './problem.ts'
import { safeLine } from './safe-text.ts'
import type { UrlCheck } from './safe-url.ts'
import type { Approval, Output, Wait } from './snapshot.ts'

/** Where a conversation is kept while the page is away. What throws or is full keeps nothing. */
export interface ConversationStorage {
  load(): string | null
  save(text: string): void
  clear(): void
  /** Where other tabs share it: tells of what they save. Gives what ends that. */
  onChange?(listener: () => void): () => void
}

const VERSION = 1
const MOST_EXCHANGES = 40
const MOST_CHARACTERS = 400_000
const MOST_NAMES = 20

/** The latest exchanges as text, as many as fit. Tokens are in none of them: they never reach a conversation. */
export function storedText(exchanges: readonly Exchange[]): string {
  const entries: string[] = []
  let characters = 0
  for (const exchange of exchanges.slice(-MOST_EXCHANGES).toReversed()) {
    const entry = JSON.stringify(entryOf(exchange))
    characters += entry.length
    if (characters > MOST_CHARACTERS) break
    entries.unshift(entry)
  }
  return `{"version":${VERSION},"exchanges":[${entries.join(',')}]}`
}

function entryOf(exchange: Exchange) {
  const { question, sent, received, answer, untold } = exchange
  return {
    id: answer.id,
    text: question?.text ?? null,
    sent,
    received,
    state: answer.state,
    isCut: answer.isCut,
    mayRepeat: mayRepeatOf(exchange).slice(0, MOST_NAMES),
    waits: answer.outputs.flatMap(({ id, wait }) =>
      wait ? [{ id, state: wait.state, deadlineAt: wait.deadlineAt }] : [],
    ),
    untold,
    approvals: answer.approvals.map(storedFrom),
  }
}

// A decision that was sent and not answered may have arrived.
function storedFrom({ problem, ...approval }: Approval) {
  return approval.state === 'pending' && problem ? { ...approval, state: 'deciding' } : approval
}

/**
 * The keys of approvals that are not decided, and of answers that can be rated together with the rating, by the id of each;
 * null where there are none. They are kept apart: they are secrets.
 */
export function keysText(exchanges: readonly Exchange[]): string | null {
  const keysOf = ({ keys, run, answer }: Exchange) => {
    if (!run || !answer.feedback) return keys
    const { executionId, resumeKey } = run
    return { ...keys, [answer.id]: { executionId, resumeKey, ...answer.feedback } }
  }
  const keys = Object.assign({}, ...exchanges.slice(-MOST_EXCHANGES).map(keysOf))
  return Object.keys(keys).length > 0 ? JSON.stringify(keys) : null
}

interface Reading {
  checkUrl: UrlCheck
  nowMs: number
  /** What `keysText` gave, if this tab has it. */
  keys: string | null
}

/** The exchanges of a stored text; none when it is not understood. What was under way then reads as interrupted. */
export function exchangesFrom(text: string | null, deps: Reading): Exchange[] {
  const stored = parsed(text)
  if (!isRecord(stored) || stored['version'] !== VERSION || !Array.isArray(stored['exchanges'])) return []
  return stored['exchanges'].slice(-MOST_EXCHANGES).flatMap((entry, index) => exchangeFrom(entry, index, deps) ?? [])
}

function exchangeFrom(entry: unknown, index: number, deps: Reading): Exchange | null {
  if (!isRecord(entry)) return null
  const id = typeof entry['id'] === 'string' ? entry['id'] : `stored-${index}`
  const sent = readMessages(entry['sent'])
  if (sent.length === 0) return null
  const asked = askedExchange(id, typeof entry['text'] === 'string' ? entry['text'] : '')
  const untold = listOf(entry['untold'])
    .map(readMessages)
    .filter((turns) => turns.length > 0)
  const mayRepeat = namesIn(entry['mayRepeat'])
  const question = entry['text'] === null ? null : asked.question
  const begun: Exchange = { ...asked, sent, untold, question, answer: { ...asked.answer, mayRepeat } }
  const received = readMessages(entry['received'])
  const whole =
    entry['state'] === 'completed'
      ? completed(begun, received, { ...deps, isCut: entry['isCut'] === true })
      : failed(withTurns(begun, received, deps), problem('interrupted'))
  const stored = listOf(entry['waits']).filter(isRecord)
  const waited = whole.answer.outputs.reduce((exchange, output) => withStoredWait(exchange, output, stored), whole)
  const parsedKeys = parsed(deps.keys)
  const keys = isRecord(parsedKeys) ? parsedKeys : {}
  const keyOf = (id: string) => (typeof keys[id] === 'string' ? keys[id] : null)
  const rated = withStoredRating(waited, keys[id])
  const approvals = listOf(entry['approvals']).flatMap((one) => {
    return storedApproval(one, (approvalId) => keyOf(approvalId) !== null) ?? []
  })
  if (approvals.length === 0) return rated
  const own = approvals.flatMap((one) => (isOpen(one) ? [[one.id, String(keyOf(one.id))]] : []))
  return withApprovals({ ...rated, keys: Object.fromEntries(own) }, approvals)
}

// Only the tab that has the key can rate.
function withStoredRating(exchange: Exchange, stored: unknown): Exchange {
  const { executionId, resumeKey, value } = isRecord(stored) ? stored : {}
  if (typeof executionId !== 'string' || typeof resumeKey !== 'string') return exchange
  return rateable(exchange, { executionId, resumeKey }, value === 1 || value === -1 ? value : null)
}

// A wait goes on only until the deadline that it had; one that nothing is known of does not begin anew.
function withStoredWait(
  exchange: Exchange,
  { id, wait }: Output,
  stored: readonly Record<string, unknown>[],
): Exchange {
  if (!wait) return exchange
  const known = stored.find((entry) => entry['id'] === id)
  const state = STATES.find((name) => name === known?.['state']) ?? 'expired'
  const deadlineAt = Math.min(numberOf(known?.['deadlineAt']), wait.deadlineAt)
  return withWait(exchange, id, { ...wait, state, deadlineAt })
}

const STATES: readonly Wait['state'][] = ['waiting', 'settled', 'expired', 'refused', 'cancelled']

function namesIn(value: unknown): string[] {
  const names = listOf(value).flatMap((name) => (typeof name === 'string' ? [safeLine(name, 64)] : []))
  return names.slice(0, MOST_NAMES)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
