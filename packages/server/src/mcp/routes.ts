import { EXECUTION_ID_HEADER } from '@svc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { MANIFEST_CACHE_CONTROL } from '../deployments/discovery.ts'
import { verifyAuthorization } from '../end-users/verify-token.ts'
import { type AppError, forbidden } from '../errors.ts'
import { IdempotencyHeaders } from '../executions/idempotency.ts'
import { answerPreflights, checkOrigin, echoOrigin, guardOrigin } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { RuntimeParams } from '../http/params.ts'
import { limitFaults, takeRate, takeVisitorRate } from '../http/rate-limit.ts'
import { cachedRuntimeOf, setCachedRuntime } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import { type CachedRuntime, lookUpById, revalidating, type ServingDeps } from '../runtimes/serving-cache.ts'
import { answerMessage } from './answer-message.ts'
import type { McpDeps } from './answer-tool.ts'
import { Answer, CODES, idOf, Message, Refusal, refusalBody } from './messages.ts'
import { ServerJson, serverJson } from './server-json.ts'

const PATH = '/v1/mcp/:runtimeId'

const REFUSALS = { 400: Refusal, 401: Refusal, 403: Refusal, 404: Refusal, 429: Refusal, 500: Refusal } as const

const describeRoute = describeRoutes('MCP')
const CALL = describeRoute('callMcp', 'Speak to a runtime as an MCP server', {
  description:
    'The Model Context Protocol over HTTP, revision 2026-07-28, without sessions; clients of 2025-11-25 and 2025-06-18 are served, too. Its tools are the capabilities of the serving deployment. `tools/call` is a call through the broker: the same limits, the same share of the quota, the same trace. Refusals are JSON-RPC errors, with the protocol’s code or else the HTTP status as their code. An unknown runtime, one without a deployment and one without an endpoint are one and the same 404.',
  params: RuntimeParams,
  headers: IdempotencyHeaders,
  body: Message,
  response: { 200: Answer, 202: z.void(), ...REFUSALS },
})

// No operations: they are there to say what an HTTP client of an earlier revision may not do.
const HIDDEN = { schema: { hide: true }, config: { errorBody } } as const

const SERVER_JSON_PATH = '/v1/runtime/:runtimeId/server.json'

const DESCRIBE = describeRoute('getServerJson', 'Describe a runtime as the MCP registry does', {
  description:
    'A `server.json` that can be published in a registry of MCP servers. 404 before the first deployment; 400 where the deployment names neither a website nor `adp.namespace`.',
  params: RuntimeParams,
  response: { 200: ServerJson },
})

const OWN_CALL =
  'A call to a capability’s endpoint came back as an MCP request. Point the runtime’s endpoint at a server of your own, and send no x-svc-execution-id.'

/** Public plane: what describes a runtime's MCP server to registries. */
export function serverJsonRoutes(plane: FastifyInstance, deps: ServingDeps & { baseUrl: () => string }): void {
  answerPreflights(plane, [SERVER_JSON_PATH], 'GET')
  typed(plane).get(SERVER_JSON_PATH, { schema: DESCRIBE }, async (request, reply) => {
    const described = await serverJson(deps, request.params.runtimeId)
    reply.header('cache-control', MANIFEST_CACHE_CONTROL)
    return described
  })
}

/** Public plane: the serving deployment of a runtime as an MCP server. Tools are called as the broker calls them. */
export function mcpRoutes(plane: FastifyInstance, deps: McpDeps): void {
  answerPreflights(plane, [PATH], 'POST')
  const config = { isRateLimited: true, load: 'execution', exactFields: ['id', 'params'], errorBody } as const
  typed(plane).post(
    PATH,
    {
      schema: CALL,
      config,
      onRequest(request, reply, done) {
        if (request.headers[EXECUTION_ID_HEADER] !== undefined) return done(forbidden(OWN_CALL))
        echoOrigin(request, reply)
        const cached = locate(deps, request.params.runtimeId)
        const found = (runtime: CachedRuntime) => enter(deps, runtime, request, reply)
        return (cached instanceof Promise ? cached.then(found) : found(cached)) ?? done()
      },
      errorHandler: limitFaults(deps, null),
    },
    async (request, reply) => {
      const endUser = await readUser(deps, request)
      // By who was verified: a body of this protocol names nobody.
      takeVisitorRate(deps, request, endUser?.principal.digest() ?? null)
      const answer = await answerMessage(deps, { reply, endUser }, request.body)
      if (answer === undefined) return reply.code(202).send()
      return answer
    },
  )
  const refuse = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .code(405)
      .header('allow', 'POST, OPTIONS')
      .send(
        refusalBody(undefined, { code: 405, message: 'Method not allowed: send each message in a POST of its own.' }),
      )
  plane.get(PATH, HIDDEN, refuse)
  plane.delete(PATH, HIDDEN, refuse)
}

/** An unknown runtime, one without a deployment and one without an endpoint are the same 404. */
function locate(deps: McpDeps, runtimeId: string) {
  return lookUpById(
    deps,
    { runtimeId, what: 'The MCP server' },
    ({ deployment, endpoint }) => deployment !== null && endpoint !== null,
  )
}

function enter(
  deps: McpDeps,
  cached: CachedRuntime,
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  setCachedRuntime(request, guardOrigin(cached, request, reply))
  const take = () => takeRate(deps, { cached: cached, routes: 'broker' }, request, reply)
  const judged = revalidating(cached, (runtime) => checkOrigin(runtime, request, reply))
  return judged instanceof Promise ? judged.then(take) : take()
}

/** The signed-in end user, if any. A bad token is refused whatever the message asks for. */
async function readUser(deps: McpDeps, request: FastifyRequest) {
  const { authorization } = request.headers
  if (authorization === undefined) return undefined
  return revalidating(cachedRuntimeOf(request), (runtime) => verifyAuthorization(deps, runtime, authorization))
}

/** A refusal of the service as a JSON-RPC error. */
function errorBody(fault: AppError, status: number, request: FastifyRequest) {
  const { message, fieldErrors } = fault
  const data = fieldErrors && { data: { fieldErrors } }
  return refusalBody(idOf(request.body), { code: codeOf(fault, status), message, ...data })
}

function codeOf({ code, fieldErrors = {} }: AppError, status: number): number {
  if (code === 'internal_error') return CODES.internal
  if (code !== 'validation_error') return status
  const [field = ''] = Object.keys(fieldErrors)
  if (fieldErrors['body']?.some((fault) => fault.startsWith('is not valid'))) return CODES.parse
  return field === 'params' || field.startsWith('params.') ? CODES.invalidParams : CODES.invalidRequest
}
