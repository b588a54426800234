import type { Problem } from '@svc/widget'
import { describe, expect, test } from 'vitest'
import { problemSentence } from '../../src/routes/chat/problem-sentence.ts'

const problem: Problem = { kind: 'rate_limited', detail: 'The quota is used up.', retryAt: 41_500, referenceId: null }

describe('a question that was not taken', () => {
  test('is told with when to ask again, for as long as that is to come', () => {
    expect(problemSentence(problem, 0)).toBe('The quota is used up. Try again in 42 s.')
    expect(problemSentence(problem, 41_500)).toBe('The quota is used up.')
  })

  test('has a sentence, also where the service said none', () => {
    expect(problemSentence({ ...problem, kind: 'stopped', detail: null, retryAt: null }, 0)).toBe(
      'You stopped the answer.',
    )
  })
})
