import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { type AppError, invalidField, notFound, restarting } from '../errors.ts'
import { oweAnswer, settleAnswer } from './connections.ts'
import { RuntimeParams } from './params.ts'
import { closeOf, notesOf, type RequestNotes } from './request-notes.ts'

type LifecycleDeps = Pick<Deps, 'baseUrl' | 'clock' | 'drainState' | 'metrics' | 'requestLog' | 'requests' | 'tracer'>

const A_YEAR = 'max-age=31536000'
const CALLER_FAULT = 400
const SERVER_FAULT = 500

/** Begins and ends what goes along with each request. Its hook must be the first: nothing may come before its notes. */
export function followRequests(app: FastifyInstance, deps: LifecycleDeps): void {
  // Only an address that was configured can be https, so it is known before the server listens.
  const isEncrypted = deps.baseUrl().startsWith('https:')
  app.decorateRequest('notes', null)
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    if (!oweAnswer(request.raw, raw)) {
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    const notes = beginRequest(deps, request)
    deps.requests.add(raw)
    raw.once('close', () => endRequest(deps, request, raw, notes))
    reply.header('x-request-id', request.id).header('cache-control', 'no-store')
    // Tells browsers to come over https alone.
    if (isEncrypted) reply.header('strict-transport-security', A_YEAR)
    const { phase } = deps.drainState
    if (phase !== 'serving') reply.header('connection', 'close')
    done(phase === 'refusing' ? restarting() : malformation(request, notes))
  })
  // Node would answer 417; a server may as well do as if nothing were expected of it.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}

function beginRequest({ clock, tracer }: LifecycleDeps, request: FastifyRequest): RequestNotes {
  const notes = notesOf(request)
  const { config, url } = request.routeOptions
  const { traceparent } = request.headers
  notes.startedAt = clock.now()
  notes.config = config
  notes.route = url ?? null
  notes.span = tracer.begin(typeof traceparent === 'string' ? traceparent : undefined, {
    'http.request.method': request.method,
    ...(url !== undefined && { 'http.route': url }),
    'svc.request_id': request.id,
  })
  return notes
}

/** Gives back what the request held, tells whoever waits for its end, and writes its line of the log. */
function endRequest(deps: LifecycleDeps, request: FastifyRequest, answer: ServerResponse, notes: RequestNotes): void {
  const { route, span, executionId } = notes
  const { id: requestId, method } = request
  const status = answer.statusCode
  const isAborted = !answer.writableFinished
  const endedAt = deps.clock.now()
  const durationMs = endedAt - notes.startedAt
  settleAnswer(request.raw, answer)
  deps.requests.delete(answer)
  notes.held?.release()
  closeOf(request).abort()
  deps.metrics.requestEnded({ method, route, status, durationMs })
  // Listed fields only: never a body, a header, a query, or an address as it was typed.
  const { traceId } = span
  const runtimeId = notes.runtimeId ?? (status < CALLER_FAULT ? runtimeOfPath(request) : null)
  const line = { requestId, method, route, status, endedAt, durationMs, runtimeId, executionId, traceId, isAborted }
  deps.requestLog(line)
  if (traceId !== null) {
    span.add({ 'http.response.status_code': status })
    span.end(status >= SERVER_FAULT ? 'failed' : 'ok')
  }
  if (isAborted) notes.onGone?.()
}

// A path may name anything: only one that was answered named a runtime.
function runtimeOfPath({ params }: FastifyRequest): string | null {
  const named = RuntimeParams.safeParse(params)
  return named.success ? named.data.runtimeId : null
}

// Before the body is read: what is wrong with a body does not matter where nothing takes one.
function malformation({ headers, raw, url }: FastifyRequest, { route }: RequestNotes): AppError | undefined {
  // The HTTP parser lets it through, or would answer with a body of its own.
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    return invalidField('request', 'is not valid HTTP: the Host header is missing.')
  }
  // No id holds one, and not every store can even be asked for it.
  if (url.includes('%00')) return invalidField('url', 'must not contain the NUL character.')
  return route === null ? notFound('The route') : undefined
}
