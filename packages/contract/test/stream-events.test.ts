import { ExecuteResponse, StreamEvent } from '@svc/contract'
import { expect, test } from 'vitest'

const done = {
  type: 'done',
  executionId: 'exec_1',
  status: 'completed',
  messages: [{ role: 'assistant', parts: [{ type: 'text', content: 'hi' }] }],
  finishReason: 'stop',
  inputTokens: 1,
  outputTokens: 2,
  totalTokens: 3,
  durationMs: 4,
}
const { type: _, ...answer } = done

// holds STR-07
test.each([
  { type: 'text', content: 'hel' },
  { type: 'text', content: '' },
  { type: 'capability_start', callId: 'call_1', capability: 'echo' },
  { type: 'capability_end', callId: 'call_1', capability: 'echo', durationMs: 12 },
  { type: 'capability_end', callId: 'call_1', capability: 'echo', durationMs: 12, error: { message: 'sold out' } },
  {
    type: 'capability_end',
    callId: 'call_1',
    capability: 'echo',
    durationMs: 12,
    error: { message: 'lost' },
    outcome: 'unknown',
  },
  done,
  { ...done, status: 'failed', finishReason: 'error', messages: [], error: { message: 'no' } },
  { ...done, status: 'failed', finishReason: 'cancelled', messages: [], error: { message: 'left' } },
  { ...done, finishReason: 'length' },
])('%j is an event, and comes through JSON unchanged', (event) => {
  expect(StreamEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event)
})

test.each([
  {},
  { type: 'delta', content: 'x' },
  { content: 'x' },
  { type: 'text' },
  { type: 'capability_start', callId: 'call_1' },
  { type: 'capability_end', callId: 'call_1', capability: 'echo', durationMs: -1 },
  { type: 'capability_end', callId: 'call_1', capability: 'echo', durationMs: 1, error: 'sold out' },
  { ...done, status: 'running' },
  { ...done, finishReason: 'tool_calls' },
  { ...done, inputTokens: 1.5 },
  { ...done, executionId: undefined },
])('%j is no event', (event) => {
  expect(StreamEvent.safeParse(event).success).toBe(false)
})

// holds STR-03
test('done carries exactly what the unstreamed answer holds', () => {
  expect(ExecuteResponse.parse(done)).toEqual(answer)
  expect(StreamEvent.parse({ type: 'done', ...answer })).toEqual(done)
})
