import { type CapabilityEffect, type Message, shapeOf } from '@svc/contract'
import type { AgentCall, AgentEvent } from '../agent/agent-event.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import type { Redactor } from '../dispatch/redact.ts'
import { type NewCall, type SettledCall, UNANSWERED } from './call-rules.ts'
import { truncatedJson, truncatedText } from './payload-rules.ts'
import type { ExecutionEnd, SettledStep } from './settlement-rules.ts'

/** The trace of an execution: shapes, counts and payloads. Message text has no place in it. */
export type RecordedTrace = Omit<ExecutionEnd, 'status' | 'finishReason' | 'error' | 'completedAt'>

/** The shape of messages, roles and types of parts, as JSON text. */
export function shapeText(messages: readonly Message[]): string {
  return `[${messages.map((message) => JSON.stringify(shapeOf(message))).join()}]`
}

/** Payloads are stored without the end user's token, and up to so many bytes. */
export interface PayloadRules {
  redactor: Redactor
  storedBytes: number
  effectOf(capability: string): CapabilityEffect
  hasToken: boolean
  sentTo: string | undefined
}

export class TraceRecorder {
  readonly #trace: Omit<RecordedTrace, 'calls'> & { steps: SettledStep[] }
  readonly #rules: PayloadRules
  readonly #calls = new Map<string, SettledCall>()
  readonly #started = new Map<string, number>()

  /** `messageShape` is that of the given messages, from {@link shapeText}. */
  constructor(messageShape: string, rules: PayloadRules) {
    this.#trace = { messageShape, steps: [], inputTokens: 0, outputTokens: 0 }
    this.#rules = rules
  }

  add(event: AgentEvent): void {
    if (event.type === 'model-step-end') {
      const { startedAt, durationMs, usage } = event
      this.#trace.steps.push({ startedAt, durationMs, ...usage })
      this.#trace.inputTokens += usage.inputTokens
      this.#trace.outputTokens += usage.outputTokens
    } else if (event.type === 'capability-start') {
      this.#started.set(event.call.callId, event.startedAt)
    } else if (event.type === 'capability-end') {
      const { callId } = event.call
      const begun = this.#calls.get(callId) ?? newCall(event.call, this.#started.get(callId) ?? 0, this.#rules)
      this.#calls.set(callId, endedCall(begun, event.result, this.#rules.storedBytes))
    } else if (event.type === 'turn') {
      const { messageShape } = this.#trace
      const comma = messageShape === '[]' ? '' : ','
      this.#trace.messageShape = `${messageShape.slice(0, -1)}${comma}${JSON.stringify(shapeOf(event.message))}]`
    }
  }

  /** Notes that a call was recorded and is about to be sent. Until it ends, its outcome counts as unknown. */
  noteRecorded(call: NewCall): void {
    this.#calls.set(call.callId, { ...call, ...UNANSWERED })
  }

  trace(): RecordedTrace {
    return { calls: [...this.#calls.values()].sort((a, b) => a.ordinal - b.ordinal), ...this.#trace }
  }
}

// Field by field: the call may hold an earlier status, and Node 20 copies a spread before other fields slowly.
export function endedCall(call: NewCall, result: CallResult, storedBytes: number): SettledCall {
  const { callId, ordinal, capability, effect, hasToken, sentTo, step, input, startedAt } = call
  const durationMs = Math.round(result.durationMs)
  const unknownAt = result.ok ? undefined : result.unknownAt
  const status = result.ok ? 'completed' : unknownAt === undefined ? 'failed' : 'unknown'
  const output = result.ok ? truncatedJson(result.redacted.text, storedBytes) : null
  const error = result.ok ? null : truncatedText(result.message, storedBytes)
  const ended = { status, output, error, durationMs, unknownAt } as const
  return { callId, ordinal, capability, effect, hasToken, sentTo, step, input, startedAt, ...ended }
}

/** A call as it is recorded before it is sent. */
export function newCall(
  { callId, ordinal, capability, step, input }: AgentCall,
  startedAt: number,
  { redactor, storedBytes, effectOf, hasToken, sentTo }: PayloadRules,
): NewCall {
  const stored = truncatedJson(redactor.jsonText(input.text), storedBytes)
  const facts = { effect: effectOf(capability), hasToken: hasToken || undefined, sentTo }
  return { callId, ordinal, capability, step, startedAt, input: stored, ...facts }
}
