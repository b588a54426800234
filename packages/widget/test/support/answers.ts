import type { ServerResponse } from 'node:http'
import type {
  ApprovalAnswer,
  ApprovalStatus,
  ApprovedOutcome,
  Message,
  PendingApproval,
  Preview,
  StreamEvent,
} from '@svc/contract'
import type { Answer } from './service-double.ts'

/** What a capability gave in an answer. */
export interface ScriptedCall {
  capability: string
  input?: Record<string, unknown>
  output?: unknown
  error?: string
  /** It was refused because nobody is signed in. */
  isRefused?: boolean
}

/** The first event of every stream. */
export const BEGUN: StreamEvent = { type: 'execution', executionId: 'exec_1', resumeKey: 'key-of-the-run' }

const DONE = {
  executionId: 'exec_1',
  finishReason: 'stop',
  inputTokens: 1,
  outputTokens: 1,
  totalTokens: 2,
  durationMs: 3,
} as const

/** The events of an answer that calls capabilities and then says something, word by word. */
export function eventsOf(text: string, calls: readonly ScriptedCall[] = []): StreamEvent[] {
  const called = calls.map((call, index) => ({ ...call, callId: `call_${index}` }))
  const ends = called.flatMap(({ callId, capability, error }): StreamEvent[] => [
    { type: 'capability_start', callId, capability },
    { type: 'capability_end', callId, capability, durationMs: 2, ...(error && { error: { message: error } }) },
  ])
  const said: StreamEvent[] = (text.match(/[\s\S]{1,4000}/g) ?? []).map((content) => ({ type: 'text', content }))
  const done: StreamEvent = { type: 'done', ...DONE, status: 'completed', messages: messagesOf(text, called) }
  return [...ends, ...said, done]
}

const REFUSED = { code: 'end_user_required' } as const

/** A call that the endpoint refused because nobody is signed in. */
export function refused(capability: string): ScriptedCall {
  return { capability, error: 'Nobody is signed in.', isRefused: true }
}

function messagesOf(text: string, calls: readonly (ScriptedCall & { callId: string })[]): Message[] {
  const said: Message[] = text === '' ? [] : [{ role: 'assistant', parts: [{ type: 'text', content: text }] }]
  if (calls.length === 0) return said
  return [
    {
      role: 'assistant',
      parts: calls.map(({ callId, capability, input = {} }) => ({
        type: 'tool_call',
        id: callId,
        name: capability,
        input,
      })),
    },
    {
      role: 'tool',
      parts: calls.map(({ callId, capability, output = null, error, isRefused }) => ({
        type: 'tool_result',
        toolCallId: callId,
        name: capability,
        output,
        ...(error && { error: { message: error, ...(isRefused && REFUSED) } }),
      })),
    },
    ...said,
  ]
}

const ORDER: Preview = { title: 'Place this order', lines: ['1 × Tent'], amount: { value: 249, currency: 'EUR' } }

/** The end of an answer whose one call waits for a person. */
export function approvalEvents(
  { preview = ORDER, expiresAt = '2100-01-01T00:00:00.000Z' }: Partial<PendingApproval> = {},
  text = '',
): StreamEvent[] {
  const capability = 'place-order'
  const approval: PendingApproval = {
    ...{ approvalId: 'apr_1', approvalKey: 'key_1', callId: 'call_0', capability, preview, expiresAt },
  }
  const events = eventsOf(text, [{ capability, error: 'Not run yet: a person has to approve this call first.' }])
  const end = { finishReason: 'approval_required' as const, approvals: [approval] }
  return events.map((event) => (event.type === 'done' ? { ...event, ...end } : event))
}

/** Where the approval of {@link approvalEvents} stands, with the result that the model is told. */
export function standsAs(
  status: ApprovalStatus,
  result?: { output?: unknown; error?: string; outcome?: ApprovedOutcome },
): ApprovalAnswer {
  const { output = null, error, outcome } = result ?? {}
  const part = {
    ...{ type: 'tool_result' as const, toolCallId: 'call_0', name: 'place-order', output },
    ...(error !== undefined && { error: { message: error } }),
  }
  return {
    approvalId: 'apr_1',
    status,
    executionId: 'exec_1',
    ...(result && { result: part }),
    ...(outcome && { outcome }),
  }
}

export function writeEvents(response: ServerResponse, events: readonly StreamEvent[]): void {
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' })
}

/** Streams an answer to its end. */
export function says(text: string, calls: readonly ScriptedCall[] = []): Answer {
  return (response) => {
    openStream(response)
    writeEvents(response, eventsOf(text, calls))
    response.end()
  }
}

/** An execution that fails after it has begun. */
export function fails(message: string): Answer {
  return (response) => {
    openStream(response)
    const failed = { ...DONE, executionId: 'exec_failed', status: 'failed', finishReason: 'error' } as const
    writeEvents(response, [
      { type: 'text', content: 'I was about ' },
      { type: 'done', ...failed, messages: [], error: { message } },
    ])
    response.end()
  }
}

/** Says this much and is gone. */
export function cuts(content: string): Answer {
  return (response) => {
    openStream(response)
    response.write(`data: ${JSON.stringify({ type: 'text', content })}\n\n`, () => void response.destroy())
  }
}

/** Hangs up without a word. */
export const leaves: Answer = (response) => void response.destroy()

export function refuses(status: number, message: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_refused', ...headers })
    response.end(JSON.stringify({ error: { code: 'rate_limit_exceeded', message } }))
  }
}

export function json(body: unknown): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}
