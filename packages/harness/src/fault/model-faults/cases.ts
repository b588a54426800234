import type { DoubleTurn } from '@svc/testkit'
import type { Random } from '../../support/random.ts'
import type { ModelPlay } from '../model-double.ts'
import { NO_TOKENS, playWhole, reportedBy, type SpokenTurn, speakTurn, type Tokens } from '../model-turn.ts'

/** One execution whose model fails, and what must come of it. */
export interface ModelCase {
  tag: string
  fault: string
  isStream: boolean
  /** What the model does at its first request of this execution, its second, …; the last one for all further ones. */
  plays: readonly [ModelPlay, ...ModelPlay[]]
  expected: ModelExpectation
  /** Bytes of the first message that came before it was cut; left out of what was not cut. */
  cutAt?: number
}

export interface ModelExpectation {
  status: 'completed' | 'failed'
  /** How often a capability may run: for each call of a message that the model finished, once. */
  effects: number
  tokens: Tokens
  /** How often the model may be asked. */
  requests: { min: number; max: number }
}

/** How often each fault but the cuts is met at full scale. */
const REPEATS = 40
const CUT_AFTER_BYTES = 2_000

const TURN_USAGE = { inputTokens: 131, outputTokens: 40 }
const LAST_USAGE = { inputTokens: 211, outputTokens: 6 }
const CALLS = [
  { name: 'act', input: { order: 'A-1001' } },
  { name: 'act', input: { order: 'A-1002' } },
]

type Draft = Omit<ModelCase, 'tag' | 'isStream'>

/** All cases of a run, in an order that follows from the seed. `count` scales a full run's counts. */
export function modelCases(random: Random, count: (full: number) => number): ModelCase[] {
  const drafts = [...cuts(random, count), ...repeated(count(REPEATS), random)]
  const cases = drafts.map((draft, index) => ({ ...draft, tag: `m${index}`, isStream: random.chance(0.5) }))
  return shuffled(cases, random)
}

/** A turn that asks for two calls and is, up to its finish reason, at least 2,000 bytes long. */
export function askingTurn(): SpokenTurn {
  for (let words = 1; ; words += 1) {
    const text = Array.from({ length: words }, (_, index) => `word${index} `)
    const turn = speakTurn({ text, toolCalls: CALLS, pieceLength: 24 }, TURN_USAGE)
    if (turn.finishedAt >= CUT_AFTER_BYTES) return turn
  }
}

export const LAST_TURN = speakTurn({ text: ['All ', 'done.'] }, LAST_USAGE)

// Every byte at full scale, the first always; below it a drawn share of those inside the message and of those behind it.
function cuts(random: Random, count: (full: number) => number): Draft[] {
  const turn = askingTurn()
  const all = Array.from({ length: turn.bytes.length }, (_, at) => at)
  const drawn = (bytes: readonly number[], wanted: number) => shuffled(bytes, random).slice(0, wanted)
  const inside = drawn(all.slice(1, turn.finishedAt), count(turn.finishedAt) - 1)
  const behind = all.slice(turn.finishedAt)
  const bytes = [...inside, ...drawn(behind, count(behind.length))]
  return [cutAt(turn, 0, 'drop'), ...bytes.map((at) => cutAt(turn, at, random.chance(0.5) ? 'drop' : 'end'))]
}

/** How many bytes of the message were the last ones of some execution that began. Full scale: each of them. */
export function bytesCut(cases: readonly Pick<ModelCase, 'tag' | 'cutAt'>[], asked: ReadonlySet<string>): number {
  const { finishedAt } = askingTurn()
  const cutsInside = cases.filter(({ tag, cutAt = finishedAt }) => asked.has(tag) && cutAt < finishedAt)
  return new Set(cutsInside.map(({ cutAt }) => cutAt)).size
}

// Where the reason why it stopped had come in an orderly way, the message is whole, whatever is missing behind it.
function cutAt(turn: SpokenTurn, at: number, by: 'drop' | 'end'): Draft {
  const tokens = reportedBy(turn, at)
  const isWhole = by === 'end' && at >= turn.finishedAt
  return {
    fault: isWhole ? 'cut behind its end' : `cut, ${by === 'end' ? 'orderly' : 'dropped'}`,
    cutAt: at,
    plays: [playCut(turn, at, by), playWhole(LAST_TURN)],
    expected: isWhole
      ? { status: 'completed', effects: CALLS.length, tokens: sum(tokens, LAST_USAGE), requests: { min: 2, max: 2 } }
      : failing(tokens),
  }
}

function playCut(turn: SpokenTurn, at: number, end: ModelPlay['end']): ModelPlay {
  return { pieces: [{ pauseMs: 0, bytes: turn.bytes.subarray(0, at) }], end }
}

function failing(tokens: Tokens, requests = { min: 1, max: 1 }): ModelExpectation {
  return { status: 'failed', effects: 0, tokens, requests }
}

function repeated(count: number, random: Random): Draft[] {
  return Array.from({ length: count }, () => [
    ...refusals(random),
    ...stalls(random),
    ...badEnds(),
    badArguments(),
    endMarkAlone(),
    secondTurnCut(random),
  ]).flat()
}

// The first try and two more, as long as nothing has been said.
function refusals(random: Random): Draft[] {
  const tried = { min: 2, max: 3 }
  const refuse = (status: number, headers: Record<string, string> = {}): ModelPlay => ({
    refusal: { status, headers },
    pieces: [],
    end: 'end',
  })
  const whole = playWhole(LAST_TURN)
  const seconds = { 'retry-after': '1' }
  return [
    { fault: '429', plays: [refuse(429)], expected: failing(NO_TOKENS, tried) },
    { fault: '429 with Retry-After', plays: [refuse(429, seconds)], expected: failing(NO_TOKENS, tried) },
    { fault: '5xx', plays: [refuse(random.pick([500, 502, 503, 529]))], expected: failing(NO_TOKENS, tried) },
    {
      fault: '429 with Retry-After, once',
      plays: [refuse(429, seconds), whole],
      expected: { status: 'completed', effects: 0, tokens: LAST_USAGE, requests: { min: 2, max: 2 } },
    },
  ]
}

function stalls(random: Random): Draft[] {
  const turn = askingTurn()
  const at = random.int(1, turn.finishedAt - 1)
  return [
    { fault: 'stall before its head', plays: [{ pieces: [], end: 'stall' }], expected: failing(NO_TOKENS) },
    { fault: 'stall', plays: [playCut(turn, at, 'stall')], expected: failing(reportedBy(turn, at)) },
  ]
}

function badEnds(): Draft[] {
  const drafts: readonly [string, DoubleTurn][] = [
    ['error event', { text: 'Well', toolCalls: CALLS, fault: { type: 'error_event', message: 'overloaded' } }],
    ['a finish reason of its own', { text: 'Well', toolCalls: CALLS, finishReason: 'network_error' }],
    ['no finish reason, no end mark', { text: 'Well', toolCalls: CALLS, finishReason: null, done: false }],
    [
      'bad arguments, no finish reason',
      { toolCalls: [{ name: 'act', rawArguments: '{"order":' }], finishReason: null, done: false },
    ],
  ]
  return drafts.map(([fault, turn]) => {
    const spoken = speakTurn(turn, TURN_USAGE)
    return { fault, plays: [playWhole(spoken)], expected: failing(reportedBy(spoken, spoken.bytes.length)) }
  })
}

// A finished message with a call that is no JSON: the model is told so and goes on; nothing is called.
function badArguments(): Draft {
  const spoken = speakTurn({ toolCalls: [{ name: 'act', rawArguments: '{"order":' }] }, TURN_USAGE)
  return {
    fault: 'bad arguments',
    plays: [playWhole(spoken), playWhole(LAST_TURN)],
    expected: { status: 'completed', effects: 0, tokens: sum(TURN_USAGE, LAST_USAGE), requests: { min: 2, max: 2 } },
  }
}

// The end mark is an end, too.
function endMarkAlone(): Draft {
  const spoken = speakTurn({ text: 'Well', toolCalls: CALLS, finishReason: null }, TURN_USAGE)
  return {
    fault: 'no finish reason, an end mark',
    plays: [playWhole(spoken), playWhole(LAST_TURN)],
    expected: {
      status: 'completed',
      effects: CALLS.length,
      tokens: sum(TURN_USAGE, LAST_USAGE),
      requests: { min: 2, max: 2 },
    },
  }
}

// What the first message asked for has been done, and what it cost is owed, whatever becomes of the second.
function secondTurnCut(random: Random): Draft {
  const turn = askingTurn()
  const at = random.int(0, turn.finishedAt - 1)
  return {
    fault: 'second turn cut',
    plays: [playWhole(turn), playCut(turn, at, 'end')],
    expected: {
      status: 'failed',
      effects: CALLS.length,
      tokens: sum(TURN_USAGE, reportedBy(turn, at)),
      requests: { min: 2, max: 2 },
    },
  }
}

function sum(a: Tokens, b: Tokens): Tokens {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens }
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const keyed = list.map((item) => ({ item, key: random.next() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}
