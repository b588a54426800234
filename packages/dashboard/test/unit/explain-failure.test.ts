import { describe, expect, test } from 'vitest'
import { STOPPED } from '../../../server/src/agent/run-agent.ts'
import { FAILURES, statusFailure } from '../../../server/src/dispatch/failures.ts'
import { ENDED_UNANSWERED } from '../../../server/src/executions/call-rules.ts'
import { OUR_FAULT } from '../../../server/src/executions/execute.ts'
import { stoppedOutcome } from '../../../server/src/executions/outcome.ts'
import { UNSENT } from '../../../server/src/executions/send-call.ts'
import { INTERRUPTED } from '../../../server/src/executions/settlement-rules.ts'
import { UNRECORDED } from '../../../server/src/executions/settlements.ts'
import { MODEL_FAILURES } from '../../../server/src/model/model-failure.ts'
import { explainedFailures, explainFailure } from '../../src/routes/executions/explain-failure.ts'

const STATUSES = [204, 302, 400, 401, 403, 404, 429, 500, 503]
const STOPS = [
  ...(['cancelled', 'deadline', 'shutdown', 'lease-lost'] as const).map((reason) => stoppedOutcome(reason).error ?? ''),
  UNRECORDED,
  INTERRUPTED,
]
const OF_CALLS = [...Object.values(FAILURES).map(({ message }) => message), ...Object.values(UNSENT), ENDED_UNANSWERED]
const OF_EXECUTIONS = [...MODEL_FAILURES, STOPPED, OUR_FAULT]

describe('what a failure asks for', () => {
  test.each([...OF_CALLS, ...STATUSES.map((status) => statusFailure(status).message)])('of a call: %s', (message) => {
    expect(explainFailure('call', message)).not.toBeNull()
    expect(explainFailure('execution', message)).toBeNull()
  })

  test.each(OF_EXECUTIONS)('of an execution: %s', (message) => {
    expect(explainFailure('execution', message)).not.toBeNull()
    expect(explainFailure('call', message)).toBeNull()
  })

  test.each(STOPS)('of either: %s', (message) => {
    const advice = explainFailure('execution', message)
    expect(advice).not.toBeNull()
    expect(explainFailure('call', message)).toBe(advice)
  })

  test('nothing is explained that the service does not say', () => {
    const explained = explainedFailures()
    const said: readonly string[] = [...OF_CALLS, ...OF_EXECUTIONS, ...STOPS]
    expect([...explained.call, ...explained.execution].filter((message) => !said.includes(message))).toEqual([])
  })

  test.each([
    ['call', 'The endpoint could not be reached.', 'Check that your server runs'],
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
