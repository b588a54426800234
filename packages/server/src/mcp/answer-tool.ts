import { isJsonObject, type JsonObject } from '@svc/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { challengeOf } from '../end-users/rules.ts'
import type { SignedInUser } from '../end-users/signed-in-user.ts'
import { resourceOf, type SignInDeps, signInNeeded } from '../end-users/verify-token.ts'
import { APPROVAL_NEEDED, AppError, END_USER_REQUIRED } from '../errors.ts'
import { answerCall } from '../executions/answer-execution.ts'
import { type CallOutcome, toCallRequest } from '../executions/call-capability.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import { IdempotencyHeaders } from '../executions/idempotency.ts'
import { cachedRuntimeOf } from '../http/request-state.ts'
import { JsonDocument } from '../lib/json-document.ts'
import type { WebFiles } from '../web/web-files.ts'
import { answerDecision, askPerson, canElicit, type InputRequired } from './answer-approval.ts'
import { invalidParams, unknownTool } from './messages.ts'
import { canSignIn, type Request } from './protocol-rules.ts'
import { failure, output, type ToolResult } from './tool-results.ts'

export type McpDeps = ExecutionDeps & SignInDeps & { web: Pick<WebFiles, 'cards'> }

/** Where an answer goes, and who asked, where somebody signed in. */
export interface Asked {
  reply: FastifyReply
  endUser: SignedInUser | undefined
}

interface ToolCall {
  name: string
  input: JsonObject
  endUser: SignedInUser | undefined
  /** Whether a person can be asked: the client can show a form, and repeats the call with what was said. */
  canAsk: boolean
}

/** Calls a capability as the broker does. What the model can mend is a result; throws what concerns the client. */
export async function answerTool(
  deps: McpDeps,
  { reply, endUser }: Asked,
  message: Request,
): Promise<ToolResult | InputRequired> {
  const { era, params } = message
  const call = toCall(message, endUser)
  try {
    if (era === 'modern' && params['requestState'] !== undefined) {
      const decided = { ...call, state: params['requestState'], responses: params['inputResponses'] }
      return await answerDecision(deps, reply, decided)
    }
    const cached = cachedRuntimeOf(reply.request)
    return toResult(await answerCall(deps, { reply, cached: cached }, toRequest(reply.request, message, call)), message)
  } catch (error) {
    if (error instanceof AppError && error.message === END_USER_REQUIRED)
      return askToSignIn(deps, reply.request, message)
    return toldAsResult(error)
  }
}

function toCall({ era, params, clientCapabilities }: Request, endUser: SignedInUser | undefined): ToolCall {
  const { name, arguments: input = {} } = params
  if (typeof name !== 'string') throw invalidParams('params.name must be the name of a tool')
  if (!isJsonObject(input)) throw invalidParams('params.arguments must be an object')
  return { name, input, endUser, canAsk: era === 'modern' && canElicit(clientCapabilities) }
}

function toRequest({ headers }: FastifyRequest, { era }: Request, { name, input, endUser, canAsk }: ToolCall) {
  const { 'idempotency-key': idempotencyKey } = IdempotencyHeaders.parse(headers)
  return toCallRequest({
    // A signed-in user is not anonymous, and draws on the main quota.
    kind: endUser ? 'capability' : 'broker',
    surface: 'mcp',
    capability: name,
    input,
    endUserToken: undefined,
    endUser,
    idempotencyKey,
    canAsk,
    // In earlier revisions a connection that closes cancels nothing.
    endsWithCaller: era === 'modern',
  })
}

function toResult({ ok, body }: CallOutcome, { era, clientCapabilities }: Request): ToolResult | InputRequired {
  if (!ok) return failure(body.error.message)
  if (!('approval' in body)) return output(JsonDocument.of(body.output), era)
  // The recorded answer to an idempotency key may be one for another client.
  return canElicit(clientCapabilities) ? askPerson(body.approval) : failure(APPROVAL_NEEDED)
}

/** Asks for a sign-in as the client knows it: by the transport, or in a result. */
function askToSignIn(deps: McpDeps, request: FastifyRequest, message: Request): ToolResult {
  const resource = resourceOf(deps, cachedRuntimeOf(request).runtime)
  if (!resource) return failure(NO_SIGN_IN)
  if (canSignIn(message, request.headers)) throw signInNeeded(resource, SIGN_IN)
  const challenge = challengeOf(resource, { error: 'insufficient_scope', description: SIGN_IN })
  return { ...failure(SIGN_IN), challenges: [challenge] }
}

const SIGN_IN = 'This tool works for a signed-in user only: sign in first.'
const NO_SIGN_IN = 'This tool works for a signed-in user only, and this server signs nobody in.'

/** Refusals that a model can mend, or should tell its user of. Throws the others. */
function toldAsResult(error: unknown): ToolResult {
  if (!(error instanceof AppError)) throw error
  const { code, message, fieldErrors = {} } = error
  if (code === 'not_found') throw unknownTool()
  // Any other 403 is the origin's: the runtime was read again, and has another list.
  if (message === APPROVAL_NEEDED) return failure(message)
  if (code !== 'validation_error' || !('input' in fieldErrors)) throw error
  const faults = Object.entries(fieldErrors).map(([field, said]) => `${field}: ${said.join(' ')}`)
  return failure(faults.join('\n'))
}
