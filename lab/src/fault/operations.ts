import { CapabilityFailure, CapabilityOutput, ErrorBody, ExecuteResponse } from '@svc/contract'
import type { ClientReply } from '../support/client.ts'
import type { Random } from '../support/random.ts'

export type Route = 'execute' | 'stream' | 'broker'

/**
 * One operation. It is encoded in the message and in the input of the call, so that the model's double and the endpoint need
 * no state.
 */
export interface Plan {
  op: number
  route: Route
  /** Index of the runtime that is called. */
  runtime: number
  /** Capability calls that the model asks for in its first turn. */
  calls: number
  /** How long the endpoint works on a call, milliseconds. */
  callMs: number
  /** The pause between two pieces of the model's answer, milliseconds. */
  pieceMs: number
  /** The endpoint resets the connection of a call once it has had its effect. */
  isReset: boolean
}

const SLOW_SHARE = 0.15
// So low that calls to an endpoint are never paused for its failures.
const RESET_SHARE = 0.02

export function drawPlan(random: Random, op: number, runtimes: number): Plan {
  const route = random.pick<Route>(['execute', 'stream', 'broker'])
  return {
    op,
    route,
    runtime: random.int(0, runtimes - 1),
    calls: route === 'broker' ? 1 : random.pick([0, 1, 1, 2, 3]),
    callMs: random.chance(SLOW_SHARE) ? random.int(100, 400) : random.int(0, 30),
    pieceMs: random.int(0, 12),
    isReset: random.chance(RESET_SHARE),
  }
}

/** Without a quote in them, so that the words stand in any JSON as they are. */
export function planWords({ op, calls, callMs, pieceMs, isReset }: Omit<Plan, 'route' | 'runtime'>): string {
  return `tag:${op} calls=${calls} call-ms=${callMs} piece-ms=${pieceMs} reset=${isReset ? 1 : 0};`
}

const WORDS = /tag:(\d+) calls=(\d+) call-ms=(\d+) piece-ms=(\d+) reset=([01]);/

/** Throws where a model request holds no plan. */
export function readPlanWords(text: string) {
  const [op = 0, calls = 0, callMs = 0, pieceMs = 0, reset] = WORDS.exec(text)?.slice(1).map(Number) ?? []
  if (reset === undefined) throw new Error('there is no plan in this request')
  return { op, calls, callMs, pieceMs, isReset: reset === 1 }
}

/** Turns of the model that an operation takes to its end. */
export function turnsOf({ calls }: Pick<Plan, 'calls'>): number {
  return calls > 0 ? 2 : 1
}

/** The outcome of an operation as its client knows it. `unknown`: it may have happened or not. */
export type ClientOutcome =
  | { as: 'completed'; executionId: string; tokens: number | null }
  | { as: 'failed'; executionId: string; reason: string }
  | { as: 'refused'; status: number; reason: string }
  | { as: 'unknown'; reason: string }

/** Times are epoch milliseconds. */
export interface Operation {
  plan: Plan
  /** The process that was asked. */
  nodeId: string
  invokedAt: number
  endedAt: number
  outcome: ClientOutcome
}

/** The promise that an answer makes. A stream whose `done` arrived does so however its connection ended. */
export function outcomeOf(route: Route, reply: ClientReply): ClientOutcome {
  if (reply.connectionError !== null) {
    const done = route === 'stream' ? doneOf(reply.text) : null
    return done === null ? { as: 'unknown', reason: reply.connectionError } : executionOutcome(done)
  }
  if (route === 'broker' && (reply.status === 200 || reply.status === 502)) return callOutcome(reply.text)
  if (reply.status === 200) return executionOutcome(route === 'stream' ? doneOf(reply.text) : reply.text)
  const { message } = ErrorBody.parse(JSON.parse(reply.text)).error
  const isRefusal = reply.headers['retry-after'] !== undefined && message.includes('Nothing was done')
  if (reply.status >= 500 && !isRefusal) return { as: 'unknown', reason: message }
  return { as: 'refused', status: reply.status, reason: message }
}

function executionOutcome(text: string | null): ClientOutcome {
  if (text === null) return { as: 'unknown', reason: 'the stream ended without “done”' }
  const { executionId, status, totalTokens, error } = ExecuteResponse.parse(JSON.parse(text))
  if (status === 'failed') return { as: 'failed', executionId, reason: error?.message ?? '' }
  return { as: 'completed', executionId, tokens: totalTokens }
}

function callOutcome(text: string): ClientOutcome {
  const body: unknown = JSON.parse(text)
  const failure = CapabilityFailure.safeParse(body)
  if (!failure.success) return { as: 'completed', executionId: CapabilityOutput.parse(body).executionId, tokens: null }
  return { as: 'failed', executionId: failure.data.executionId, reason: failure.data.error.message }
}

function doneOf(stream: string): string | null {
  return /(?:^|\n)event: done\ndata: (.*)\n\n/.exec(stream)?.[1] ?? null
}
