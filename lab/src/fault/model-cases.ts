import {
  type ModelPlay,
  NO_TOKENS,
  playWhole,
  reportedBy,
  type SpokenTurn,
  speakTurn,
  type Tokens,
} from '../support/model-double.ts'
import type { Random } from '../support/random.ts'

/** One execution whose model fails, and its expected end. */
export interface ModelCase {
  tag: string
  fault: string
  isStream: boolean
  /** The model's answers to the requests of this execution; the last one for all further ones. */
  plays: readonly [ModelPlay, ...ModelPlay[]]
  expected: {
    status: 'completed' | 'failed'
    /** Capability calls: of each message that the model finished. */
    effects: number
    tokens: Tokens
    /** How often the model may be asked. */
    requests: readonly [min: number, max: number]
  }
}

const REPEATS = 40
const CUT_AFTER_BYTES = 2_000
const TURN_USAGE = { inputTokens: 131, outputTokens: 40 }
const LAST_USAGE = { inputTokens: 211, outputTokens: 6 }
const CALLS = [
  { name: 'act', input: { order: 'A-1001' } },
  { name: 'act', input: { order: 'A-1002' } },
]

export const LAST_TURN = speakTurn({ text: ['All ', 'done.'] }, LAST_USAGE)

type Draft = Omit<ModelCase, 'tag' | 'isStream'>

/** All cases of a run, in an order that follows from the seed. `count` scales a full run's counts. */
export function modelCases(random: Random, count: (full: number) => number): ModelCase[] {
  const drafts = cuts(random, count)
  for (let repeat = 0; repeat < count(REPEATS); repeat += 1) drafts.push(...others(random))
  return shuffled(drafts, random).map((draft, index) => ({ ...draft, tag: `m${index}`, isStream: random.chance(0.5) }))
}

/** A turn that asks for two calls and is, up to its finish reason, at least 2,000 bytes long. */
function askingTurn(): SpokenTurn {
  for (let words = 1; ; words += 1) {
    const text = Array.from({ length: words }, (_, index) => `word${index} `)
    const turn = speakTurn({ text, toolCalls: CALLS, pieceLength: 24 }, TURN_USAGE)
    if (turn.finishedAt >= CUT_AFTER_BYTES) return turn
  }
}

// At every byte at full scale.
function cuts(random: Random, count: (full: number) => number): Draft[] {
  const turn = askingTurn()
  const bytes = shuffled(
    Array.from({ length: turn.bytes.length }, (_, index) => index),
    random,
  )
  return bytes.slice(0, count(bytes.length)).map((at) => {
    const by = random.chance(0.5) ? 'drop' : 'end'
    // Where the finish reason had come in an orderly way, the message is whole.
    const isWhole = by === 'end' && at >= turn.finishedAt
    const plays = [playCut(turn, at, by), playWhole(LAST_TURN)] as const
    const tokens = reportedBy(turn, at)
    const fault = `cut at ${at} by ${by}`
    return isWhole ? goingOn(fault, plays, add(tokens, LAST_USAGE), CALLS.length) : failing(fault, plays, tokens)
  })
}

function playCut(turn: SpokenTurn, at: number, end: ModelPlay['end']): ModelPlay {
  return { pieces: [{ pauseMs: 0, bytes: turn.bytes.subarray(0, at) }], end }
}

function failing(
  fault: string,
  plays: Draft['plays'],
  tokens: Tokens,
  tries: readonly [number, number] = [1, 1],
): Draft {
  return { fault, plays, expected: { status: 'failed', effects: 0, tokens, requests: tries } }
}

function goingOn(fault: string, plays: Draft['plays'], tokens: Tokens, effects = 0): Draft {
  return { fault, plays, expected: { status: 'completed', effects, tokens, requests: [2, 2] } }
}

function others(random: Random): Draft[] {
  const turn = askingTurn()
  const at = random.int(1, turn.finishedAt - 1)
  const whole = playWhole(LAST_TURN)
  const refuse = (status: number, headers = {}): ModelPlay => ({ refusal: { status, headers }, pieces: [], end: 'end' })
  const seconds = { 'retry-after': '1' }
  return [
    // The first try and two more, as long as nothing has been said.
    failing('429', [refuse(429)], NO_TOKENS, [2, 3]),
    failing('429 with Retry-After', [refuse(429, seconds)], NO_TOKENS, [2, 3]),
    failing('5xx', [refuse(random.pick([500, 502, 503, 529]))], NO_TOKENS, [2, 3]),
    goingOn('429 with Retry-After, once', [refuse(429, seconds), whole], LAST_USAGE),
    failing('stall before its head', [{ pieces: [], end: 'stall' }], NO_TOKENS),
    failing('stall', [playCut(turn, at, 'stall')], reportedBy(turn, at)),
    {
      fault: 'second turn cut',
      plays: [playWhole(turn), playCut(turn, at, 'end')],
      expected: {
        status: 'failed',
        effects: CALLS.length,
        tokens: add(TURN_USAGE, reportedBy(turn, at)),
        requests: [2, 2],
      },
    },
  ]
}

function add(a: Tokens, b: Tokens): Tokens {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens }
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const keyed = list.map((item) => ({ item, key: random.next() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}
