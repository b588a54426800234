import type { Random } from '../support/random.ts'

export type Doorway = 'execute' | 'stream' | 'broker'

/**
 * What one operation of the swarm asks for. It travels with the operation, in the message's words and in the call's
 * input, so that the model's double and the endpoint need no memory to play their parts.
 */
export interface Plan {
  op: number
  doorway: Doorway
  /** Which of the site's runtimes is called. */
  runtime: number
  /** Capability calls that the model asks for in its first turn; the broker's one call needs no model. */
  calls: number
  /** How long the endpoint works on a call, milliseconds. */
  callMs: number
  /** What the model waits between two pieces of its answer, milliseconds. */
  pieceMs: number
  /** Whether the endpoint resets the connection of a call once it has had its effect. */
  isReset: boolean
}

const SLOW_SHARE = 0.15
// Low: an endpoint that fails half of its calls is spared by its circuit.
const RESET_SHARE = 0.06

export function drawPlan(random: Random, op: number, runtimes: number): Plan {
  const doorway = random.pick<Doorway>(['execute', 'stream', 'broker'])
  return {
    op,
    doorway,
    runtime: random.int(0, runtimes - 1),
    calls: doorway === 'broker' ? 1 : random.pick([0, 1, 1, 2, 3]),
    callMs: random.chance(SLOW_SHARE) ? random.int(100, 400) : random.int(0, 30),
    pieceMs: random.int(0, 12),
    isReset: random.chance(RESET_SHARE),
  }
}

/** The plan as words for the model, without a quote in them, so that they stand in any JSON as they are. */
export function planWords({ op, calls, callMs, pieceMs, isReset }: Plan): string {
  return `op=${op} calls=${calls} call-ms=${callMs} piece-ms=${pieceMs} reset=${isReset ? 1 : 0};`
}

export type ModelPlan = Pick<Plan, 'op' | 'calls' | 'callMs' | 'pieceMs' | 'isReset'>

const WORDS = /op=(\d+) calls=(\d+) call-ms=(\d+) piece-ms=(\d+) reset=([01]);/

/** The plan in the text of a model request; null where there is none. */
export function readPlanWords(text: string): ModelPlan | null {
  const [found, op, calls, callMs, pieceMs, reset] = WORDS.exec(text) ?? []
  if (found === undefined) return null
  return {
    op: Number(op),
    calls: Number(calls),
    callMs: Number(callMs),
    pieceMs: Number(pieceMs),
    isReset: reset === '1',
  }
}
