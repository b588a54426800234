import type { Problem } from '@svc/widget'
import { describe, expect, test } from 'vitest'
import { problemSentence } from '../../src/routes/chat/problem-sentence.ts'
import { explainFailure } from '../../src/routes/executions/explain-failure.ts'

const problem: Problem = { kind: 'rate_limited', detail: 'The quota is used up.', retryAt: 41_500, referenceId: null }

describe('a question that was not taken', () => {
  test('is told with when to ask again, for as long as that is to come', () => {
    expect(problemSentence(problem, 0)).toBe('The quota is used up. Try again in 42 s.')
    expect(problemSentence(problem, 41_500)).toBe('The quota is used up.')
  })

  test('has a sentence, also where the service said none', () => {
    expect(problemSentence({ ...problem, kind: 'stopped', detail: null, retryAt: null }, 0)).toBe('You stopped it.')
  })
})

describe('what a failure asks for', () => {
  test.each([
    ['The endpoint could not be reached.', 'Is your server up'],
    ['The endpoint answered with status 401.', 'signature'],
    ['The endpoint answered with status 503.', 'log'],
    ['The endpoint answered with a redirect, which is not followed.', 'address'],
    ['The model took too long to answer.', 'model provider'],
    ['The execution took too long and was stopped.', 'longest bar'],
  ])('%s', (message, words) => expect(explainFailure(message)).toContain(words))

  test('nothing is guessed of an owner’s own words', () => {
    expect(explainFailure('The cup is broken.')).toBeNull()
  })
})
