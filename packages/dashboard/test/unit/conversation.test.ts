import { ClientError } from '@svc/widget'
import { describe, expect, test } from 'vitest'
import { askProblem } from '../../src/routes/chat/ask-problem.ts'
import { ask, EMPTY, hear, refuse, turnsFor } from '../../src/routes/chat/conversation.ts'

const DONE = {
  type: 'done' as const,
  executionId: 'exec_1',
  status: 'completed' as const,
  messages: [{ role: 'assistant' as const, parts: [{ type: 'text' as const, content: 'Yes.' }] }],
  finishReason: 'stop' as const,
  inputTokens: 1,
  outputTokens: 1,
  totalTokens: 2,
  durationMs: 5,
}

describe('a talk', () => {
  test('grows by what is heard, and sends along what was said before', () => {
    let talk = ask(EMPTY, 'Open?')
    talk = hear(talk, { type: 'capability_start', callId: 'call_1', capability: 'hours' })
    talk = hear(talk, { type: 'capability_end', callId: 'call_1', capability: 'hours', durationMs: 3 })
    talk = hear(hear(talk, { type: 'text', content: 'Ye' }), { type: 'text', content: 's.' })
    talk = hear(talk, DONE)
    expect(talk.exchanges).toEqual([
      expect.objectContaining({
        question: 'Open?',
        answer: 'Yes.',
        refusal: null,
        calls: [{ callId: 'call_1', capability: 'hours', durationMs: 3, error: null }],
      }),
    ])
    expect(turnsFor(talk, 'Sure?').map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  test('a question that failed or was refused is not part of what was said', () => {
    const failed = hear(ask(EMPTY, 'Open?'), {
      ...DONE,
      status: 'failed',
      finishReason: 'error',
      error: { message: 'No.' },
    })
    expect(turnsFor(failed, 'Again?')).toHaveLength(1)
    const refused = refuse(ask(EMPTY, 'Open?'), 'Too many.')
    expect([turnsFor(refused, 'Again?').length, refused.exchanges[0]?.refusal]).toEqual([1, 'Too many.'])
  })
})

describe('a question that was not taken', () => {
  const signal = new AbortController().signal

  test('is told with when to ask again, where the service said so', () => {
    const limited = new ClientError('rate_limited', 'The quota is used up.', { retryAfterMs: 41_500 })
    expect(askProblem(limited, signal)).toBe('The quota is used up. Try again in 42 s.')
    expect(askProblem(new ClientError('unreachable', 'The service cannot be reached.'), signal)).toBe(
      'The service cannot be reached.',
    )
  })

  test('says who stopped it, and what a session that is over asks for', () => {
    expect(askProblem(new Error('aborted'), AbortSignal.abort())).toBe('You stopped it.')
    expect(askProblem(new ClientError('unauthorized', 'The credential is missing.'), signal)).toContain('log in again')
  })
})
