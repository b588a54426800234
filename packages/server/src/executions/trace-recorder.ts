import { type Message, shapeOf } from '@svc/contract'
import type { AgentCall, AgentEvent } from '../agent/agent-event.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import type { SettledCall } from './call-store.ts'
import { storedInput, storedPayload } from './rules.ts'
import type { SettledStep } from './settlement-store.ts'

/** What a trace holds of an execution so far. Shapes, counts and payloads: message text has no place in it. */
export interface RecordedTrace {
  /** JSON text: a long conversation has thousands of parts. */
  messageShape: string
  steps: SettledStep[]
  inputTokens: number
  outputTokens: number
  calls: SettledCall[]
}

/** The shape of messages as a trace keeps it: roles and types of parts, no text. JSON text. */
export function shapeText(messages: readonly Message[]): string {
  return `[${messages.map((message) => JSON.stringify(shapeOf(message))).join()}]`
}

function appended(list: string, item: string): string {
  return list === '[]' ? `[${item}]` : `${list.slice(0, -1)},${item}]`
}

/** Folds the events of a loop into what is stored of it. */
export class TraceRecorder {
  #shapes: string
  readonly #storedBytes: number
  readonly #calls = new Map<string, SettledCall>()
  readonly #startTimes = new Map<string, number>()
  readonly #steps: SettledStep[] = []
  #inputTokens = 0
  #outputTokens = 0

  /** Begins with the shape of the given messages, from {@link shapeText}. */
  constructor(givenShape: string, storedBytes: number) {
    this.#shapes = givenShape
    this.#storedBytes = storedBytes
  }

  add(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
        return
      case 'model-step-end':
        this.#steps.push({ startedAt: event.startedAt, durationMs: event.durationMs, ...event.usage })
        this.#inputTokens += event.usage.inputTokens
        this.#outputTokens += event.usage.outputTokens
        return
      case 'capability-start':
        this.#startTimes.set(event.call.callId, event.startedAt)
        return
      case 'capability-end':
        this.#calls.set(event.call.callId, this.#settled(event.call, event.result))
        return
      case 'turn':
        this.#shapes = appended(this.#shapes, JSON.stringify(shapeOf(event.message)))
        return
      default:
        event satisfies never
    }
  }

  trace(): RecordedTrace {
    return {
      messageShape: this.#shapes,
      steps: this.#steps,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      calls: [...this.#calls.values()].sort((a, b) => a.ordinal - b.ordinal),
    }
  }

  #settled(call: AgentCall, result: CallResult): SettledCall {
    const startedAt = this.#startTimes.get(call.callId) ?? 0
    return settledCall(call, result, { startedAt, storedBytes: this.#storedBytes })
  }
}

/** A call with its outcome, as it is stored. */
export function settledCall(
  call: AgentCall,
  result: CallResult,
  context: { startedAt: number; storedBytes: number },
): SettledCall {
  return {
    callId: call.callId,
    ordinal: call.ordinal,
    capability: call.capability,
    step: call.step,
    input: storedInput(call, context.storedBytes),
    startedAt: context.startedAt,
    status: result.ok ? 'completed' : 'failed',
    output: result.ok ? storedPayload(result.output, context.storedBytes) : null,
    error: result.ok ? null : result.message,
    durationMs: Math.round(result.durationMs),
  }
}
