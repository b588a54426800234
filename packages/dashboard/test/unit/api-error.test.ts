import { describe, expect, test } from 'vitest'
import { ApiError, messageBeside, messagesFor, toApiError } from '../../src/api/api-error.ts'

const refusal = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers })

const INVALID = toApiError(refusal(400), {
  error: {
    code: 'validation_error',
    message: 'The request is not valid: origins.1: is no origin.',
    details: { fieldErrors: { 'origins.1': ['is no origin.'], name: ['is required (string).', 'is too short.'] } },
  },
})

describe('a refusal', () => {
  test('is read from the one envelope, with what its headers say', () => {
    const headers = { 'retry-after': '30', 'x-request-id': 'request-1' }
    const body = { error: { code: 'rate_limit_exceeded', message: 'The quota is used up.' } }
    expect(toApiError(refusal(429, headers), body)).toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'The quota is used up.',
      retryAfterSeconds: 30,
      requestId: 'request-1',
      fieldErrors: {},
    })
  })

  test.each([[undefined], ['<html>'], [{}], [{ error: 'no' }], [{ error: { code: 3, message: [] } }]])(
    'that is no envelope, %j, is a sentence with its status',
    (body) => expect(toApiError(refusal(502), body).message).toBe('The service answered with status 502.'),
  )

  test('stands at the field that it is about, those of its parts, too', () => {
    expect(messagesFor(INVALID, 'name')).toEqual(['is required (string).', 'is too short.'])
    expect(messagesFor(INVALID, 'origins')).toEqual(['is no origin.'])
    expect(messagesFor(INVALID, 'origin')).toEqual([])
    expect(messagesFor(null, 'name')).toEqual([])
  })

  test('stands beside the fields where a form does not show one of them', () => {
    expect(messageBeside(INVALID, ['name', 'origins'])).toBeNull()
    expect(messageBeside(INVALID, ['name'])).toBe(INVALID.message)
    expect(messageBeside(new ApiError({ code: 'forbidden', message: 'No more.' }), ['name'])).toBe('No more.')
    expect(messageBeside(new TypeError('internal detail'), [])).not.toContain('internal')
    expect(messageBeside(null, [])).toBeNull()
  })
})
