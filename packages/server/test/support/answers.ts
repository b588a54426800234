import { ERROR_STATUS, ErrorBody, type ErrorCode, type FieldErrors } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'

/** The error of an answer, once it is sure to be the one envelope: nothing more, nothing less, and its code's status. */
export function errorOf(answer: LightMyRequestResponse): ErrorBody['error'] {
  expect(answer.statusCode, answer.body).toBeGreaterThanOrEqual(400)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  const sent: unknown = answer.json()
  const body = ErrorBody.parse(sent)
  expect(sent).toEqual(body)
  expect(answer.statusCode).toBe(ERROR_STATUS[body.error.code])
  return body.error
}

/** The message of a refusal with this code, which carries no details. */
export function refusalOf(answer: LightMyRequestResponse, code: Exclude<ErrorCode, 'validation_error'>): string {
  const error = errorOf(answer)
  expect(error.code).toBe(code)
  expect(error).not.toHaveProperty('details')
  return error.message
}

/** The messages of a validation error by field; there is at least one. */
export function faultsIn(answer: LightMyRequestResponse): FieldErrors {
  const { code, details } = errorOf(answer)
  expect(code).toBe('validation_error')
  const faults = details?.fieldErrors ?? {}
  expect(Object.keys(faults)).not.toEqual([])
  return faults
}

/** The fields that a validation error names, in its order. */
export function fieldsAtFault(answer: LightMyRequestResponse): string[] {
  return Object.keys(faultsIn(answer))
}

/** The answer’s headers without those that differ from one request to the next. */
export function steadyHeaders(answer: LightMyRequestResponse): Record<string, unknown> {
  const { 'x-request-id': _id, date: _date, ...rest } = answer.headers
  return rest
}
