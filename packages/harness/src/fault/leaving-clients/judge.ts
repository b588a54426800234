import type { Effect } from '../call-counter.ts'
import type { ModelExchange } from '../model-double.ts'
import { NO_TOKENS, type SpokenTurn, type Tokens } from '../model-turn.ts'
import type { CallRow, ExecutionRow } from '../rows.ts'
import type { HeardExecution } from '../streams.ts'

/** One caller who left. Times of `performance.now()`. */
export interface Departure {
  tag: string
  door: 'stream' | 'whole' | 'broker'
  /** Null: they stayed, whatever became of their connection. */
  leftAt: number | null
  heard: HeardExecution
  /** Undefined where the caller left before the service had heard of it. */
  row: ExecutionRow | undefined
  calls: readonly CallRow[]
  effects: readonly Effect[]
  exchanges: readonly ModelExchange[]
}

export const BREACHES = {
  held: 'model calls still open a second after their caller left',
  begun: 'model calls begun more than a second after their caller left',
  row: 'executions that are not `failed`, `cancelled` after their caller left',
  lost: 'executions without a row that had an effect',
  calls: 'calls whose outcome is not recorded, or that were made twice',
  tokens: 'executions whose tokens seen were not metered',
  stayed: 'callers who stayed without a whole answer, or were told otherwise than is stored',
} as const

export type BreachKind = keyof typeof BREACHES

export interface LeavingRules {
  /** What the model says, by the position of its request in the execution. */
  turns: readonly SpokenTurn[]
}

const PROMPT_MS = 1_000
// What the model sent less than this before the caller left may or may not have been read.
const READING_MS = 500

export function judgeDepartures(departures: readonly Departure[], rules: LeavingRules) {
  return departures.flatMap((departure) =>
    breachesOf(departure, rules).map(({ kind, text }) => ({
      kind,
      text: `${departure.door} ${departure.tag}: ${text}`,
    })),
  )
}

function breachesOf(departure: Departure, rules: LeavingRules): { kind: BreachKind; text: string }[] {
  const { leftAt, row, calls, effects, exchanges, door } = departure
  const found: { kind: BreachKind; text: string }[] = []
  const claim = (kind: BreachKind, holds: boolean, text: string) => {
    if (!holds) found.push({ kind, text })
  }
  if (leftAt !== null) {
    for (const { arrivedAt, closedAt } of exchanges) {
      const heldMs = (closedAt ?? Number.POSITIVE_INFINITY) - leftAt
      claim('held', heldMs <= PROMPT_MS, `held for ${Math.round(heldMs)} ms`)
      claim('begun', arrivedAt - leftAt <= PROMPT_MS, `begun ${Math.round(arrivedAt - leftAt)} ms later`)
    }
    claim('row', row === undefined || isOver(row, door), `stored as ${row?.status} ${row?.finishReason}`)
  } else {
    const { status, brokenBy } = departure.heard
    claim('stayed', wasServed(departure), `heard ${status} ${brokenBy ?? ''}, stored as ${row?.status}`)
  }
  claim('lost', row !== undefined || (effects.length === 0 && exchanges.length === 0), 'no row')
  claim('calls', new Set(effects.map(({ callId }) => callId)).size === effects.length, 'a call was made twice')
  const recorded = new Map(calls.map(({ callId, status }) => [callId, status]))
  claim(
    'calls',
    calls.every(({ status }) => status !== 'dispatched'),
    'a call was left open',
  )
  // Whoever leaves does not end a call under way: its answer came, and must stand there.
  claim(
    'calls',
    effects.every(({ callId }) => recorded.get(callId) === 'completed'),
    'an answer was not recorded',
  )
  if (row && door !== 'broker') {
    const { least, most } = tokensSeen(exchanges, rules.turns, leftAt ?? Number.POSITIVE_INFINITY)
    claim('tokens', isBetween(row, least, most), `${row.inputTokens}/${row.outputTokens} tokens metered`)
  }
  return found
}

/** A whole answer that says what is stored. The broker names no status in its answer: it is that of the answer. */
function wasServed({ door, row, heard }: Departure): boolean {
  const { status, told, hasMore, brokenBy } = heard
  if (status !== 200 || brokenBy !== null || hasMore) return false
  if (door === 'broker') return row?.status === 'completed'
  return told !== null && told.executionId === row?.executionId && told.status === row.status
}

// A broker's answer may have been written in the very moment in which its caller left.
function isOver(row: ExecutionRow, door: Departure['door']): boolean {
  if (row.status === 'failed') return row.finishReason === 'cancelled'
  return door === 'broker' && row.status === 'completed'
}

function tokensSeen(exchanges: readonly ModelExchange[], turns: readonly SpokenTurn[], leftAt: number) {
  const within = (until: number) => exchanges.map((exchange) => reportedUntil(exchange, turns[exchange.index], until))
  return { least: sum(within(leftAt - READING_MS)), most: sum(within(Number.POSITIVE_INFINITY)) }
}

function reportedUntil({ sentAt }: ModelExchange, turn: SpokenTurn | undefined, until: number): Tokens {
  const sent = sentAt.filter((at) => at <= until).length
  return turn?.reported[sent - 1] ?? NO_TOKENS
}

function sum(all: readonly Tokens[]): Tokens {
  return all.reduce(
    (total, tokens) => ({
      inputTokens: total.inputTokens + tokens.inputTokens,
      outputTokens: total.outputTokens + tokens.outputTokens,
    }),
    NO_TOKENS,
  )
}

function isBetween(row: Tokens, least: Tokens, most: Tokens): boolean {
  return (
    row.inputTokens >= least.inputTokens &&
    row.inputTokens <= most.inputTokens &&
    row.outputTokens >= least.outputTokens &&
    row.outputTokens <= most.outputTokens
  )
}
