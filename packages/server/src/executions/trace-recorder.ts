import { type Message, shapeOf } from '@svc/contract'
import type { AgentCall, AgentEvent } from '../agent/agent-event.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import type { Redactor } from '../dispatch/redact.ts'
import { type NewCall, type SettledCall, UNANSWERED } from './call-rules.ts'
import { storedText, storedWords } from './rules.ts'
import type { Ending, SettledStep } from './settlement-rules.ts'

/**
 * The trace of an execution so far. Shapes, counts and payloads: message text has no place in it. Calls that were
 * about to be sent and have not ended are among its calls, as failed.
 */
export type RecordedTrace = Omit<Ending, 'status' | 'finishReason' | 'error' | 'completedAt'>

/** The shape of messages as a trace keeps it: roles and types of parts, no text. JSON text. */
export function shapeText(messages: readonly Message[]): string {
  return `[${messages.map((message) => JSON.stringify(shapeOf(message))).join()}]`
}

function appended(list: string, item: string): string {
  return list === '[]' ? `[${item}]` : `${list.slice(0, -1)},${item}]`
}

/** Payloads as a trace keeps them: without the end user's token, and up to so many bytes. */
export interface PayloadRules {
  redactor: Redactor
  storedBytes: number
}

/** Folds the events of a loop into what is stored of it. */
export class TraceRecorder {
  readonly #trace: Omit<RecordedTrace, 'calls'> & { steps: SettledStep[] }
  readonly #rules: PayloadRules
  readonly #calls = new Map<string, SettledCall>()
  readonly #started = new Map<string, number>()

  /** Begins with the shape of the given messages, from {@link shapeText}. */
  constructor(messageShape: string, rules: PayloadRules) {
    this.#trace = { messageShape, steps: [], inputTokens: 0, outputTokens: 0 }
    this.#rules = rules
  }

  add(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
        return
      case 'model-step-end':
        this.#trace.steps.push({ startedAt: event.startedAt, durationMs: event.durationMs, ...event.usage })
        this.#trace.inputTokens += event.usage.inputTokens
        this.#trace.outputTokens += event.usage.outputTokens
        return
      case 'capability-start':
        this.#started.set(event.call.callId, event.startedAt)
        return
      case 'capability-end':
        this.#end(event.call, event.result)
        return
      case 'turn':
        this.#trace.messageShape = appended(this.#trace.messageShape, JSON.stringify(shapeOf(event.message)))
        return
      default:
        event satisfies never
    }
  }

  /** Notes that a call was written down and is about to be sent. */
  noteRecorded(call: NewCall): void {
    this.#calls.set(call.callId, { ...call, ...UNANSWERED })
  }

  trace(): RecordedTrace {
    return { ...this.#trace, calls: [...this.#calls.values()].sort((a, b) => a.ordinal - b.ordinal) }
  }

  #end(call: AgentCall, result: CallResult): void {
    const { callId } = call
    const begun = this.#calls.get(callId) ?? newCall(call, this.#started.get(callId) ?? 0, this.#rules)
    this.#calls.set(callId, endedCall(begun, result, this.#rules.storedBytes))
  }
}

export function endedCall(call: NewCall, result: CallResult, storedBytes: number): SettledCall {
  return {
    ...call,
    status: result.ok ? 'completed' : 'failed',
    output: result.ok ? storedText(result.redacted.text, storedBytes) : null,
    error: result.ok ? null : storedWords(result.message, storedBytes),
    durationMs: Math.round(result.durationMs),
  }
}

/** A call of a model as it is written down before it is sent. */
export function newCall(call: AgentCall, startedAt: number, { redactor, storedBytes }: PayloadRules): NewCall {
  const { callId, ordinal, capability, step } = call
  const input = storedText(redactor.jsonText(call.inputText ?? JSON.stringify(call.input)), storedBytes)
  return { callId, ordinal, capability, step, startedAt, input }
}
