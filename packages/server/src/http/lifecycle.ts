import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AppError, invalidField, notFound, restarting } from '../errors.ts'
import { trackAnswer } from './connections.ts'
import type { HttpDeps } from './deps.ts'
import { RuntimeParams } from './params.ts'
import { stateOf } from './request-state.ts'

type LifecycleDeps = Pick<HttpDeps, 'baseUrl' | 'clock' | 'drainState' | 'logger' | 'metrics' | 'requests' | 'tracer'>

const HSTS = 'max-age=31536000'

/** Begins and ends the state, the span, the metrics and the log line of each request. Its hook must be the first. */
export function followRequests(app: FastifyInstance, deps: LifecycleDeps): void {
  // Only a configured address can be https, so it is known before the server listens.
  const isEncrypted = deps.baseUrl().startsWith('https:')
  app.decorateRequest('state', null)
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    if (!trackAnswer(raw, () => endRequest(deps, request, raw))) {
      reply.hijack()
      raw.req.socket.destroy()
      return
    }
    const state = stateOf(request)
    const { config, url } = request.routeOptions
    const { traceparent } = request.headers
    state.startedAt = deps.clock.now()
    state.config = config
    state.route = url ?? null
    state.span = deps.tracer.begin(typeof traceparent === 'string' ? traceparent : undefined, {
      'http.request.method': request.method,
      ...(url !== undefined && { 'http.route': url }),
      'svc.request_id': request.id,
    })
    deps.requests.add(raw)
    reply.header('x-request-id', request.id).header('cache-control', 'no-store')
    if (isEncrypted) reply.header('strict-transport-security', HSTS)
    const { phase } = deps.drainState
    if (phase !== 'serving') reply.header('connection', 'close')
    const isRefused = phase === 'refusing' && !config.isTakenWhileDraining
    done(isRefused ? restarting() : malformation(request))
  })
  // Unknown values of `Expect` are ignored, as HTTP allows: Node would answer 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}

function endRequest(deps: LifecycleDeps, request: FastifyRequest, answer: ServerResponse): void {
  const state = stateOf(request)
  const { route, span, onGone } = state
  const { method } = request
  const status = answer.statusCode
  const durationMs = deps.clock.now() - state.startedAt
  const isAborted = !answer.writableFinished
  deps.requests.delete(answer)
  state.held?.release()
  state.closed.abort()
  deps.metrics.requestEnded({ method, route, status, durationMs })
  // Listed fields only: never a body, a header, a query, or an address as it was typed.
  const line = {
    requestId: request.id,
    method,
    route,
    status,
    durationMs,
    // A path may name anything: only with a status below 400 it named a runtime that exists.
    runtimeId:
      state.runtime?.runtimeId ?? (status < 400 ? RuntimeParams.safeParse(request.params).data?.runtimeId : undefined),
    executionId: state.executionId ?? undefined,
    traceId: span.traceId ?? undefined,
    aborted: isAborted || undefined,
  }
  deps.logger.info(line, 'request')
  if (span.traceId !== null) {
    span.add({ 'http.response.status_code': status })
    span.end(status >= 500 ? 'failed' : 'ok')
  }
  if (isAborted) onGone?.()
}

// Checked before the body is read: a body does not matter where no route takes one.
function malformation(request: FastifyRequest): AppError | undefined {
  const { headers, raw, url } = request
  // `requireHostHeader` is off in `serverOptions`: Node would answer without the error envelope.
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    return invalidField('request', 'is not valid HTTP: the Host header is missing.')
  }
  // No id holds a NUL, and PostgreSQL refuses one in a parameter.
  if (url.includes('%00')) return invalidField('url', 'must not contain the NUL character.')
  return stateOf(request).route === null ? notFound('The route') : undefined
}
