import type { JsonObject, Message } from '@svc/contract'
import type { CallResult } from '../dispatch/call-result.ts'
import type { JsonDocument } from '../lib/json-document.ts'
import type { ModelUsage } from '../model/model.ts'

/** A capability call that the loop makes. `callId` is the same in transcript, stream, trace and dispatch. */
export interface AgentCall {
  callId: string
  capability: string
  step: number
  /** Position among the calls of its execution, from 0. */
  ordinal: number
  input: JsonDocument<JsonObject>
}

export type AgentEvent =
  | { type: 'text'; content: string }
  | { type: 'model-step-end'; startedAt: number; durationMs: number; usage: ModelUsage }
  | { type: 'capability-start'; call: AgentCall; startedAt: number }
  | { type: 'capability-end'; call: AgentCall; result: CallResult }
  | { type: 'turn'; message: Message }

/** Receives each event in order. The loop awaits it: backpressure, by which a slow reader slows its own execution alone. */
export type Emit = (event: AgentEvent) => Promise<void> | void

/** How the loop ended. `error` says why when `finishReason` is `error`. */
export type AgentResult =
  | { finishReason: 'stop' | 'length' | 'approval_required' }
  | { finishReason: 'cancelled' }
  | { finishReason: 'error'; error: string }
