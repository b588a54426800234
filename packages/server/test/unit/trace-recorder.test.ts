import { type Message, TurnShape } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AgentCall, AgentEvent } from '../../src/agent/agent-event.ts'
import { redactorOf } from '../../src/dispatch/redact.ts'
import { ENDED_UNANSWERED } from '../../src/executions/call-rules.ts'
import { endedCall, newCall, shapeText, TraceRecorder } from '../../src/executions/trace-recorder.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { failed, succeeded, user } from './agent-support.ts'

function callOf(ordinal: number, input = {}): AgentCall {
  return {
    callId: `call_${ordinal}`,
    capability: 'echo',
    step: 1 + Math.floor(ordinal / 2),
    ordinal,
    input: JsonDocument.of(input),
  }
}

const ONE_TOKEN_EACH = { inputTokens: 1, outputTokens: 1 }

const upTo = (storedBytes: number) => ({
  storedBytes,
  redactor: redactorOf(undefined),
  effectOf: () => 'read' as const,
  hasToken: false,
  sentTo: undefined,
})

function traceOf(events: readonly AgentEvent[], given: readonly Message[] = []) {
  const recorder = new TraceRecorder(shapeText(given), upTo(1000))
  for (const event of events) recorder.add(event)
  const trace = recorder.trace()
  return { ...trace, messageShape: z.array(TurnShape.strict()).parse(JSON.parse(trace.messageShape)) }
}

test('an execution in which nothing happened holds the shapes of what was said before it', () => {
  expect(traceOf([], [user('a'), user('b')])).toEqual({
    messageShape: [
      { role: 'user', parts: [{ type: 'text' }] },
      { role: 'user', parts: [{ type: 'text' }] },
    ],
    steps: [],
    inputTokens: 0,
    outputTokens: 0,
    calls: [],
  })
})

test('each turn of the model is kept with its times, and their tokens are summed', () => {
  const steps = [
    { startedAt: 10, durationMs: 5, inputTokens: 7, outputTokens: 3 },
    { startedAt: 20, durationMs: 0, inputTokens: 0, outputTokens: 0 },
    { startedAt: 30, durationMs: 7, inputTokens: 100, outputTokens: 1 },
  ]
  const trace = traceOf(
    steps.map(({ startedAt, durationMs, ...usage }) => ({ type: 'model-step-end', startedAt, durationMs, usage })),
  )
  expect(trace).toMatchObject({ steps, inputTokens: 107, outputTokens: 4 })
})

describe('calls', () => {
  // holds TRC-17
  test('are told in the order in which they were asked for, whichever ended first', () => {
    const events: AgentEvent[] = [0, 1, 2].map((n) => ({
      type: 'capability-start',
      call: callOf(n),
      startedAt: 10 + n,
    }))
    const ends: AgentEvent[] = [
      { type: 'capability-end', call: callOf(2), result: succeeded({ a: 1 }) },
      { type: 'capability-end', call: callOf(0), result: failed('sold out') },
      { type: 'capability-end', call: callOf(1), result: succeeded(null) },
    ]
    expect(traceOf([...events, ...ends]).calls).toEqual([
      {
        callId: 'call_0',
        ordinal: 0,
        capability: 'echo',
        effect: 'read',
        step: 1,
        input: '{}',
        startedAt: 10,
        status: 'failed',
        output: null,
        error: 'sold out',
        durationMs: 1,
      },
      expect.objectContaining({ callId: 'call_1', status: 'completed', output: 'null', error: null, startedAt: 11 }),
      expect.objectContaining({ callId: 'call_2', status: 'completed', output: '{"a":1}', step: 2, startedAt: 12 }),
    ])
  })

  test('hold payloads up to what is kept of one', () => {
    const call = callOf(0, { text: 'x'.repeat(1000) })
    const stored = endedCall(newCall(call, 0, upTo(100)), succeeded('y'.repeat(1000)), 100)
    expect(JSON.parse(stored.input)).toMatchObject({ truncated: true, bytes: 1011 })
    expect(JSON.parse(stored.output ?? '')).toMatchObject({ truncated: true, bytes: 1002 })
  })

  test('have durations in whole milliseconds', () => {
    const result = { ...succeeded(null), durationMs: 12.6 }
    expect(endedCall(newCall(callOf(0), 0, upTo(100)), result, 100).durationMs).toBe(13)
  })

  test('are kept as they were written down, as unknown where they have not ended', () => {
    const recorder = new TraceRecorder('[]', upTo(1000))
    const [open, ended] = [
      newCall(callOf(0), 7, upTo(1000)),
      { ...newCall(callOf(1), 8, upTo(1000)), input: '{"cut":true}' },
    ]
    for (const call of [open, ended]) recorder.noteRecorded(call)
    recorder.add({ type: 'capability-end', call: callOf(1), result: succeeded('ok') })
    const left = { status: 'unknown', output: null, error: ENDED_UNANSWERED, durationMs: null }
    expect(recorder.trace().calls).toEqual([
      { ...open, ...left },
      expect.objectContaining({ ...ended, status: 'completed', output: '"ok"' }),
    ])
  })
})

test('a turn is kept as its role and the types of its parts', () => {
  const message: Message = {
    role: 'assistant',
    parts: [
      { type: 'text', content: 'Let me look.' },
      { type: 'tool_call', id: 'call_0', name: 'echo', input: {} },
    ],
  }
  expect(traceOf([{ type: 'turn', message }]).messageShape).toEqual([
    { role: 'assistant', parts: [{ type: 'text' }, { type: 'tool_call' }] },
  ])
})

// holds SVC-11
test('message text has no way in, by any event and any part of it', () => {
  const canary = fc.constantFrom('CANARY')
  const word = canary.map((text) => `the ${text} word`)
  const part = fc.oneof(
    word.map((content) => ({ type: 'text', content }) as const),
    word.map((content) => ({ type: 'tool_call', id: content, name: content, input: { [content]: content } }) as const),
  )
  const message = fc.oneof(
    word.map(user),
    fc.array(part, { minLength: 1 }).map((parts): Message => ({ role: 'assistant', parts })),
    word.map((content): Message => ({ role: 'system', parts: [{ type: 'text', content }] })),
    word.map(toolTurn),
  )
  const event: fc.Arbitrary<AgentEvent> = fc.oneof(
    word.map((content) => ({ type: 'text', content }) as const),
    message.map((turn) => ({ type: 'turn', message: turn }) as const),
    fc.constant({ type: 'model-step-end', startedAt: 5, durationMs: 1, usage: ONE_TOKEN_EACH } as const),
    fc.constant({ type: 'capability-end', call: callOf(0), result: succeeded('ok') } as const),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), fc.array(message, { maxLength: 5 }), (events, given) => {
      const trace = traceOf(events, given)
      expect(JSON.stringify(trace)).not.toContain('CANARY')
      const turns = events.filter(({ type }) => type === 'turn').length
      expect(trace.messageShape).toHaveLength(given.length + turns)
    }),
    { numRuns: 300, seed: 1 },
  )
})

function toolTurn(text: string): Message {
  const part = { toolCallId: text, name: text, output: { text }, error: { message: text } }
  return { role: 'tool', parts: [{ type: 'tool_result', ...part }] }
}
