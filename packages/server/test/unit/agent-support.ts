import type { FieldErrors, JsonObject, Message } from '@svc/contract'
import type { AgentCall, AgentEvent, AgentResult } from '../../src/agent/agent-event.ts'
import { type AgentDeps, type AgentInput, runAgent } from '../../src/agent/run-agent.ts'
import type { JudgeCall } from '../../src/agent/run-calls.ts'
import type { CallResult } from '../../src/dispatch/call-result.ts'
import { createIds } from '../../src/lib/ids.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import type { Model } from '../../src/model/model.ts'
import { createTestClock } from '../support/clock.ts'
import { scriptedModel, withValues } from '../support/scripted-model.ts'

export interface LoopOptions {
  model?: Model
  limits?: Partial<AgentDeps['limits']>
  /** What a call comes to; it echoes its input unless it is told otherwise. */
  call?: (call: AgentCall) => Promise<CallResult> | CallResult
  messages?: readonly Message[]
  instructions?: string
  signal?: AbortSignal
  /** The names that may be called, each with what is wrong with an input. */
  capabilities?: Readonly<Record<string, (input: JsonObject) => FieldErrors | null | Promise<FieldErrors | null>>>
  judge?: JudgeCall
  hold?: (bytes: number) => boolean
  /** Called with each event before the loop goes on. */
  onEvent?: (event: AgentEvent) => void
}

export interface Ran {
  result: AgentResult
  events: AgentEvent[]
  turns: Message[]
  dispatched: (Omit<AgentCall, 'input'> & { input: JsonObject })[]
}

export function user(content: string): Message {
  return { role: 'user', parts: [{ type: 'text', content }] }
}

export function succeeded(output: unknown): CallResult {
  const written = JsonDocument.of(output)
  return { ok: true, output: written, redacted: written, durationMs: 1 }
}

export function failed(message: string): CallResult {
  return { ok: false, message, durationMs: 1 }
}

/** Runs the loop to its end and returns all that happened. */
export async function runLoop(options: LoopOptions = {}): Promise<Ran> {
  const { onEvent = () => {}, call = ({ input }) => succeeded(input) } = options
  const clock = createTestClock()
  const dispatched: Ran['dispatched'] = []
  const deps: AgentDeps = {
    model: options.model ?? scriptedModel(),
    observe: (callModel) => callModel(),
    clock,
    newId: createIds(clock),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  }
  const events: AgentEvent[] = []
  const result = await runAgent(deps, {
    executionId: 'exec_test',
    instructions: options.instructions ?? null,
    messages: options.messages ?? [user('Hello')],
    toolset: toolsetOf(options.capabilities ?? { echo: () => null }),
    signal: options.signal ?? new AbortController().signal,
    hold: options.hold ?? (() => true),
    emit(event) {
      events.push(event)
      onEvent(event)
    },
    judge: options.judge ?? (async () => null),
    async call(made) {
      dispatched.push({ ...made, input: made.input.value })
      return call(made)
    },
  })
  return { result, events, turns: turnsOf(events), dispatched }
}

function toolsetOf(capabilities: NonNullable<LoopOptions['capabilities']>): AgentInput['toolset'] {
  const checks = new Map(Object.entries(capabilities))
  return {
    tools: [...checks.keys()].map((name) => ({ name, description: `Does ${name}.`, inputSchema: null })),
    check: (name) => {
      const check = checks.get(name)
      return check && (({ value }) => check(value))
    },
  }
}

function turnsOf(events: readonly AgentEvent[]): Message[] {
  return withValues(events.flatMap((event) => (event.type === 'turn' ? [event.message] : [])))
}
