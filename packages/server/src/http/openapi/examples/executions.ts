import {
  CALL_ID,
  COMPLETED_AT,
  EXECUTION_ID,
  type Examples,
  NEXT_CURSOR,
  PROJECT_ID,
  RUNTIME_ID,
  STARTED_AT,
} from './common.ts'

const QUESTION = { role: 'user' as const, parts: [{ type: 'text' as const, content: 'Are there red shoes below 60?' }] }
const INPUT = { query: 'red shoes', maxPrice: 60 }
const OUTPUT = { shoes: [{ name: 'Canvas Red', price: 49.9 }] }

const SUMMARY = {
  executionId: EXECUTION_ID,
  runtimeId: RUNTIME_ID,
  status: 'completed' as const,
  finishReason: 'stop' as const,
  durationMs: 2642,
  capabilityCalls: 1,
  startedAt: STARTED_AT,
  completedAt: COMPLETED_AT,
}
const TOKENS = { inputTokens: 611, outputTokens: 58, totalTokens: 669 }

const RESPONSE = {
  executionId: EXECUTION_ID,
  status: 'completed' as const,
  messages: [
    {
      role: 'assistant' as const,
      parts: [{ type: 'tool_call' as const, id: CALL_ID, name: 'find-shoes', input: INPUT }],
    },
    {
      role: 'tool' as const,
      parts: [{ type: 'tool_result' as const, toolCallId: CALL_ID, name: 'find-shoes', output: OUTPUT }],
    },
    { role: 'assistant' as const, parts: [{ type: 'text' as const, content: 'Yes: Canvas Red, for 49.90.' }] },
  ],
  finishReason: 'stop' as const,
  ...TOKENS,
  durationMs: 2642,
}

const EVENTS = [
  { type: 'capability_start', callId: CALL_ID, capability: 'find-shoes' },
  { type: 'capability_end', callId: CALL_ID, capability: 'find-shoes', durationMs: 84 },
  { type: 'text', content: 'Yes: Canvas Red, for 49.90.' },
  { type: 'done', ...RESPONSE },
]

/** A streamed execution, as it is on the wire. */
export const STREAM_EXAMPLE = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

/** Running things, and what is kept of it. */
export const EXECUTION_EXAMPLES = {
  ExecuteRequest: {
    messages: [QUESTION],
    metadata: { page: '/shoes' },
    endUserToken: 'EXAMPLE-token-of-your-own-log-in',
  },
  OwnerExecuteRequest: { runtimeId: RUNTIME_ID, messages: [QUESTION], metadata: { reason: 'nightly check' } },
  ExecuteResponse: RESPONSE,
  CapabilityRequest: { capability: 'find-shoes', input: INPUT },
  BrokerRequest: { input: INPUT, metadata: { agent: 'example-agent' } },
  CapabilityOutput: { executionId: EXECUTION_ID, output: OUTPUT, durationMs: 84 },
  CapabilityFailure: {
    executionId: EXECUTION_ID,
    error: { message: 'The shop did not answer in time.' },
    durationMs: 30_000,
  },
  ExecutionList: { nextCursor: NEXT_CURSOR, executions: [SUMMARY] },
  TraceList: { nextCursor: null, traces: [SUMMARY] },
  Trace: {
    executionId: EXECUTION_ID,
    runtimeId: RUNTIME_ID,
    projectId: PROJECT_ID,
    deploymentVersion: 7,
    kind: 'execute',
    status: 'completed',
    finishReason: 'stop',
    error: null,
    messageShape: [
      { role: 'user', parts: [{ type: 'text' }] },
      { role: 'assistant', parts: [{ type: 'tool_call' }] },
      { role: 'tool', parts: [{ type: 'tool_result' }] },
      { role: 'assistant', parts: [{ type: 'text' }] },
    ],
    steps: 2,
    modelSteps: [
      { step: 1, startedAt: STARTED_AT, durationMs: 1120, inputTokens: 240, outputTokens: 12 },
      { step: 2, startedAt: '2026-03-04T16:41:10.514Z', durationMs: 1430, inputTokens: 371, outputTokens: 46 },
    ],
    ...TOKENS,
    durationMs: 2642,
    metadata: { page: '/shoes' },
    capabilityCalls: [
      {
        callId: CALL_ID,
        capability: 'find-shoes',
        step: 1,
        status: 'completed',
        input: INPUT,
        output: OUTPUT,
        error: null,
        startedAt: '2026-03-04T16:41:10.430Z',
        durationMs: 84,
      },
    ],
    startedAt: STARTED_AT,
    completedAt: COMPLETED_AT,
  },
} satisfies Examples
