import type { ExecuteResponse, Feedback, Message, StreamEvent } from '@svc/contract'
import type { ExecutionRun } from '../client/resumed-events.ts'
import { approvalOf, isOpen } from './approval.ts'
import { LONGEST_TEXT, unansweredIn, untilLastResult, withEvent, withUnheard } from './hear.ts'
import { type OutputReading, outputsOf } from './outputs.ts'
import { type Problem, problem } from './problem.ts'
import { signInOf } from './refused-calls.ts'
import { safeText } from './safe-text.ts'
import type { Approval, AssistantTurn, Turn, UserTurn, Wait } from './snapshot.ts'
import type { Pending } from './svc-output.ts'
import { settledTurns } from './transcript.ts'

/** A question, or a result that was waited for, and its answer. Replaced, never changed. */
export interface Exchange {
  readonly question: UserTurn | null
  readonly sent: readonly Message[]
  /** The turns that the answer added: all of a complete one, of any other those up to the last results. */
  readonly received: readonly Message[]
  readonly answer: AssistantTurn
  /** Results that were waited for and that the model has still to be told, each as a call with its result. */
  readonly untold: readonly (readonly Message[])[]
  /** Keys of its approvals that are not decided, by approval id. Secrets: no snapshot and no stored conversation has them. */
  readonly keys: Readonly<Record<string, string>>
  /** The run behind a complete answer, for its rating. Its key is a secret, too. */
  readonly run?: ExecutionRun | undefined
}

export function askedExchange(id: string, text: string): Exchange {
  const question: UserTurn = { role: 'user', id: `${id}-q`, text: safeText(text, LONGEST_TEXT) }
  const sent: Message[] = [{ role: 'user', parts: [{ type: 'text', content: text }] }]
  return { question, sent, received: [], answer: emptyAnswer(id), untold: [], keys: {} }
}

/** The exchange in which the model is told of a result: an ordinary call, with its answer. */
export function toldExchange(id: string, sent: readonly Message[]): Exchange {
  return { question: null, sent, received: [], answer: emptyAnswer(id), untold: [], keys: {} }
}

function emptyAnswer(id: string): AssistantTurn {
  return {
    role: 'assistant',
    id,
    state: 'running',
    blocks: [],
    outputs: [],
    approvals: [],
    signIn: null,
    problem: null,
    mayRepeat: [],
    isCut: false,
    execution: null,
    feedback: null,
  }
}

/** The same exchange, asked anew. It goes on from the results that came before it failed. */
export function restarted(exchange: Exchange): Exchange {
  const { received, answer } = exchange
  const { id, outputs, mayRepeat } = answer
  const blocks = untilLastResult(answer.blocks, received)
  return { ...exchange, answer: { ...emptyAnswer(id), blocks, outputs, mayRepeat } }
}

/** Names of what was called in it, now or before it was asked anew, and gave no result that the model could be told. */
export function mayRepeatOf({ received, answer }: Exchange): readonly string[] {
  if (answer.state === 'completed') return []
  return [...new Set([...answer.mayRepeat, ...unansweredIn(answer.blocks, received)])]
}

export function turnsOf({ question, answer }: Exchange): Turn[] {
  return question ? [question, answer] : [answer]
}

/** The exchange after an event of its stream other than `done`. */
export function heard(exchange: Exchange, event: Exclude<StreamEvent, { type: 'done' }>): Exchange {
  const { answer, received } = exchange
  // The final event brings the missed part, as a whole.
  const blocks = event.type === 'gap' ? untilLastResult(answer.blocks, received) : withEvent(answer, event)
  return { ...exchange, answer: { ...answer, blocks } }
}

/** The exchange whose answer has come to its end, completed or failed. */
export function ended(begun: Exchange, response: ExecuteResponse, reading: OutputReading): Exchange {
  const { status, finishReason, messages, executionId, durationMs, totalTokens } = response
  const execution = { id: executionId, durationMs, totalTokens }
  const exchange = { ...begun, answer: { ...begun.answer, execution } }
  if (status === 'completed') {
    const asked = response.approvals ?? []
    const whole = completed(exchange, messages, { ...reading, isCut: finishReason === 'length' })
    const keys = Object.fromEntries(asked.map(({ approvalId, approvalKey }) => [approvalId, approvalKey]))
    return withApprovals({ ...whole, keys }, asked.map(approvalOf))
  }
  const facts = { detail: response.error?.message ?? null, referenceId: executionId }
  const reason = problem(finishReason === 'cancelled' ? 'interrupted' : 'failed', facts)
  return failed(withTurns(exchange, settledTurns(messages), reading), reason)
}

/** The exchange with a complete answer. */
export function completed(
  exchange: Exchange,
  messages: readonly Message[],
  { isCut, ...reading }: OutputReading & { isCut: boolean },
): Exchange {
  const whole = withTurns(exchange, messages, reading)
  const signIn = signInOf(whole.received)
  return { ...whole, answer: { ...whole.answer, state: 'completed', signIn, mayRepeat: [], isCut } }
}

export function failed(exchange: Exchange, reason: Problem): Exchange {
  const blocks = exchange.answer.blocks.map((block) =>
    block.type === 'capability' && block.state === 'running' ? { ...block, state: 'unknown' as const } : block,
  )
  const mayRepeat = mayRepeatOf(exchange)
  return { ...exchange, answer: { ...exchange.answer, state: 'failed', blocks, problem: reason, mayRepeat } }
}

/** The exchange with further turns of its answer, and with what they give to be shown. */
export function withTurns(exchange: Exchange, turns: readonly Message[], reading: OutputReading): Exchange {
  const { answer, sent } = exchange
  const received = [...exchange.received, ...turns]
  const outputs = outputsOf([...sent, ...received], answer.outputs, reading)
  return { ...exchange, received, answer: { ...answer, blocks: withUnheard(answer, turns), outputs } }
}

/** The exchange with calls that wait for approval. What is said of them stands there in place of their results. */
export function withApprovals(exchange: Exchange, approvals: readonly Approval[]): Exchange {
  const waiting = new Set(approvals.map(({ callId }) => callId))
  const blocks = exchange.answer.blocks.filter(({ id }) => !waiting.has(id))
  return { ...exchange, answer: { ...exchange.answer, blocks, approvals } }
}

/** The exchange with another state of one approval. Decided, its key is forgotten. */
export function withApproval(exchange: Exchange, changed: Approval): Exchange {
  const approvals = exchange.answer.approvals.map((approval) => (approval.id === changed.id ? changed : approval))
  const { [changed.id]: key, ...others } = exchange.keys
  const keys = isOpen(changed) && key !== undefined ? exchange.keys : others
  return { ...exchange, keys, answer: { ...exchange.answer, approvals } }
}

/** The exchange whose complete answer can be rated with the key of this run. */
export function rateable(exchange: Exchange, run: ExecutionRun | null, value: Feedback | null = null): Exchange {
  if (!run || exchange.answer.state !== 'completed') return exchange
  return { ...exchange, run, answer: { ...exchange.answer, feedback: { value } } }
}

/** The exchange with another rating of its answer. */
export function rated(exchange: Exchange, value: Feedback | null): Exchange {
  return { ...exchange, answer: { ...exchange.answer, feedback: { value } } }
}

/** Whether only another tab can decide on a call of it. */
export function isElsewhere({ answer }: Exchange): boolean {
  return answer.approvals.some(({ state }) => state === 'elsewhere')
}

/** The exchange as another tab has it, with the results of its approvals. That tab tells the model; here the next question does. */
export function toldElsewhere(exchange: Exchange, stored: readonly Exchange[]): Exchange {
  const asked = new Set(exchange.answer.approvals.map(({ callId }) => callId))
  const turns = [...exchange.untold.flat(), ...stored.flatMap(({ question, sent }) => (question ? [] : sent))]
  const told = turns.filter(({ role, parts }) => {
    return role === 'tool' && parts.some((part) => part.type === 'tool_result' && asked.has(part.toolCallId))
  })
  return { ...exchange, received: [...exchange.received, ...told], untold: [] }
}

/** The exchange with another state of one output’s wait. */
export function withWait(exchange: Exchange, outputId: string, wait: Wait): Exchange {
  const outputs = exchange.answer.outputs.map((output) => (output.id === outputId ? { ...output, wait } : output))
  return { ...exchange, answer: { ...exchange.answer, outputs } }
}

/** The exchange with a result that was waited for, which the model is to be told as an ordinary call. */
export function withUntold(
  exchange: Exchange,
  { callId, pending, output }: { callId: string; pending: Pending; output: unknown },
): Exchange {
  const { capability: name, input } = pending
  const turns: Message[] = [
    { role: 'assistant', parts: [{ type: 'tool_call', id: callId, name, input }] },
    { role: 'tool', parts: [{ type: 'tool_result', toolCallId: callId, name, output }] },
  ]
  return { ...exchange, untold: [...exchange.untold, turns] }
}
