import { ERROR_STATUS } from '@svc/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  AppError,
  bodyTooLarge,
  databaseAway,
  diskFull,
  internal,
  invalidField,
  isDatabaseAway,
  notFound,
  unauthorized,
} from '../errors.ts'
import { AccountGoneError, isDiskFull, isUnavailable } from '../store/errors.ts'
import type { HttpDeps } from './deps.ts'
import { stateOf } from './request-state.ts'

type ErrorDeps = Pick<HttpDeps, 'limits' | 'logger' | 'metrics' | 'outages' | 'diskSpace'>

/** Answers every error in the one envelope. The only place where error bodies are written. */
export function answerErrors(app: FastifyInstance, deps: ErrorDeps): void {
  const send = (fault: AppError, request: FastifyRequest, reply: FastifyReply) => {
    if (isDatabaseAway(fault)) {
      deps.metrics.requestRefused('database')
      deps.outages.note('requests', fault.cause ?? fault)
    } else if (fault.code === 'internal_error') {
      const { id: requestId, routeOptions } = request
      deps.logger.error({ err: fault.cause ?? fault, requestId, route: routeOptions.url }, 'request failed')
    }
    const status = ERROR_STATUS[fault.code]
    const { errorBody } = stateOf(request).config
    const body = errorBody ? errorBody(fault, status, request) : fault.toBody()
    return reply
      .code(status)
      .headers({ ...fault.headers, 'cache-control': 'no-store' })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body))
  }
  app.setErrorHandler((error, request, reply) => {
    deps.diskSpace.noteFault(error)
    return send(toAppError(error, deps), request, reply)
  })
  app.setNotFoundHandler((request, reply) => send(notFound('The route'), request, reply))
}

/** A thrown value as an answer: an AppError as it is, Fastify's 4xx as a fault of the body, all else a 500. */
export function toAppError(error: unknown, deps: Pick<HttpDeps, 'limits'>): AppError {
  if (error instanceof AppError) return error
  if (isDiskFull(error)) return diskFull()
  if (error instanceof AccountGoneError) return unauthorized()
  if (isUnavailable(error)) return databaseAway(error)
  if (!isFastifyError(error)) return internal(error)
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(deps.limits.bodyBytes)
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return notJson()
  if (error.code === 'FST_ERR_BAD_URL') return invalidField('url', 'is not a valid URL.')
  const status = error.statusCode ?? 500
  return status >= 400 && status < 500 ? invalidField('body', 'could not be read.') : internal(error)
}

export function notJson(): AppError {
  return invalidField('body', 'must be JSON: send content-type: application/json.')
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
