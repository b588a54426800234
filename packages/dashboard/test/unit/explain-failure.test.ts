import { describe, expect, test } from 'vitest'
import { FAILURES, statusFailure } from '../../../server/src/dispatch/failures.ts'
import { stoppedOutcome } from '../../../server/src/executions/outcome.ts'
import { UNRECORDED } from '../../../server/src/executions/settlement-desk.ts'
import { MODEL_FAILURES } from '../../../server/src/model/model-failure.ts'
import { explainFailure } from '../../src/routes/executions/explain-failure.ts'

const STATUSES = [204, 302, 400, 401, 403, 404, 429, 500, 503]
const STOPS = [
  ...(['cancelled', 'deadline', 'shutdown', 'lease-lost'] as const).map((reason) => stoppedOutcome(reason).error ?? ''),
  UNRECORDED,
]

describe('what a failure asks for', () => {
  test.each([...Object.values(FAILURES), ...STATUSES.map(statusFailure)].map(({ message }) => message))(
    'of a call: %s',
    (message) => {
      expect(explainFailure('call', message)).not.toBeNull()
      expect(explainFailure('execution', message)).toBeNull()
    },
  )

  test.each([...MODEL_FAILURES])('of an execution: %s', (message) => {
    expect(explainFailure('execution', message)).not.toBeNull()
    expect(explainFailure('call', message)).toBeNull()
  })

  test.each(STOPS)('of either: %s', (message) => {
    const advice = explainFailure('execution', message)
    expect(advice).not.toBeNull()
    expect(explainFailure('call', message)).toBe(advice)
  })

  test.each([
    ['call', 'The endpoint could not be reached.', 'Is your server up'],
    ['call', 'The endpoint answered with status 401.', 'signature'],
    ['call', 'The endpoint answered with status 503.', 'log'],
    ['execution', 'The model provider refused the service’s credential.', 'operator'],
    ['execution', 'The execution took too long and was stopped.', 'longest bar'],
  ] as const)('a %s, %s', (of, message, words) => expect(explainFailure(of, message)).toContain(words))

  test.each([
    'The cup is broken.',
    'Invalid credential for the warehouse.',
    'Please sign in.',
    'The parcel is too large.',
    'The warehouse answered: The endpoint could not be reached.',
    'The endpoint answered with status 401. Try another one.',
  ])('nothing is guessed of an owner’s own words: %s', (message) => {
    expect([explainFailure('call', message), explainFailure('execution', message)]).toEqual([null, null])
  })
})
