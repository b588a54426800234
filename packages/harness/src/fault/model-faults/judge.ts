import type { Effect } from '../call-counter.ts'
import type { ModelExchange } from '../model-double.ts'
import type { ExecutionRow } from '../rows.ts'
import type { HeardExecution } from '../streams.ts'
import type { ModelCase } from './cases.ts'

/** What came of one case. Times of `performance.now()`. */
export interface ModelHistory {
  case: ModelCase
  heard: HeardExecution
  heardAt: number
  row: ExecutionRow | undefined
  exchanges: readonly ModelExchange[]
  effects: readonly Effect[]
}

/** A promise that was not kept, for one case. */
export interface Breach {
  kind: BreachKind
  tag: string
  text: string
}

export const BREACHES = {
  unanswered: 'callers without an answer, or without `done`',
  untrue: 'answers that differ from what is stored',
  status: 'executions that ended otherwise than they must',
  effects: 'capability calls of an unfinished message, or repeated ones',
  tokens: 'executions whose tokens seen were not metered',
  asked: 'models asked again once they had begun, or too often',
  late: 'executions still under way five seconds after the model’s time was up',
  open: 'model connections held past the end of their execution',
} as const

export type BreachKind = keyof typeof BREACHES

export interface ModelRules {
  /** The longest that one model call may take. */
  modelMs: number
}

/** Everything that went against the promises, in the order of the cases. */
export function judgeModelFaults(histories: readonly ModelHistory[], rules: ModelRules): Breach[] {
  return histories.flatMap((history) => {
    const { tag, fault } = history.case
    return breachesOf(history, rules).map(({ kind, text }) => ({ kind, tag, text: `${fault} (${tag}): ${text}` }))
  })
}

function breachesOf(history: ModelHistory, rules: ModelRules): { kind: BreachKind; text: string }[] {
  const { heard, row, exchanges, effects, heardAt } = history
  const { expected, plays } = history.case
  const { told } = heard
  const found: { kind: BreachKind; text: string }[] = []
  const claim = (kind: BreachKind, holds: boolean, text: string) => {
    if (!holds) found.push({ kind, text })
  }
  claim('unanswered', told !== null && !heard.hasMore && heard.brokenBy === null, `heard ${heard.status ?? 'nothing'}`)
  claim('status', row?.status === expected.status, `stored as ${row?.status}, must be ${expected.status}`)
  claim('untrue', told === null || isSame(told, row), 'told otherwise than stored')
  claim('effects', effects.length === expected.effects, `${effects.length} effects, must be ${expected.effects}`)
  claim('effects', new Set(effects.map(({ callId }) => callId)).size === effects.length, 'one call twice')
  const { inputTokens, outputTokens } = expected.tokens
  const isMetered = row?.inputTokens === inputTokens && row.outputTokens === outputTokens
  claim('tokens', isMetered, `metered ${row?.inputTokens}/${row?.outputTokens}, must be ${inputTokens}/${outputTokens}`)
  const { min, max } = expected.requests
  claim(
    'asked',
    exchanges.length >= min && exchanges.length <= max,
    `asked ${exchanges.length} times, ${min} to ${max}`,
  )
  const tookMs = heardAt - (exchanges[0]?.arrivedAt ?? heardAt)
  const limitMs = rules.modelMs * Math.min(plays.length, exchanges.length) + SLACK_MS
  claim('late', tookMs <= limitMs, `took ${Math.round(tookMs)} ms from its first model call, at most ${limitMs}`)
  claim(
    'open',
    exchanges.every(({ closedAt }) => closedAt !== null),
    'a connection is still open',
  )
  return found
}

const SLACK_MS = 5_000

function isSame(told: NonNullable<HeardExecution['told']>, row: ExecutionRow | undefined): boolean {
  return (
    row?.executionId === told.executionId &&
    row.status === told.status &&
    row.inputTokens === told.inputTokens &&
    row.outputTokens === told.outputTokens
  )
}
