import { isJsonObject, type JsonObject } from '@svc/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { answerCall } from '../executions/answer-execution.ts'
import { type CallOutcome, type CallRequest, toCallRequest } from '../executions/call-capability.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import { IdempotencyHeaders } from '../executions/idempotency.ts'
import { locatedOf } from '../http/request-state.ts'
import { JsonDocument } from '../lib/json-document.ts'
import { CODES, MessageFault } from './messages.ts'
import type { Request } from './protocol-rules.ts'
import { withoutReserved } from './tools.ts'

/** The result of `tools/call`, without what all results have. */
export type ToolResult =
  | { content: TextContent[]; structuredContent?: JsonDocument; isError: false }
  | { content: TextContent[]; isError: true }

export interface TextContent {
  type: 'text'
  text: string
}

/** Calls a capability as the broker does. What the model can mend is a result; throws what concerns the client. */
export async function answerTool(deps: ExecutionDeps, reply: FastifyReply, message: Request): Promise<ToolResult> {
  const call = toCall(reply.request, message)
  const outcome = await answerCall(deps, { reply, located: locatedOf(reply.request) }, call).catch((error: unknown) => {
    const told = toldAsResult(error)
    if (told === null) throw error
    return told
  })
  if ('isError' in outcome) return outcome
  return toResult(outcome, message)
}

function toCall({ headers }: FastifyRequest, { era, params }: Request): CallRequest {
  const { name, arguments: input = {} } = params
  if (typeof name !== 'string') throw invalidParams('params.name must be the name of a tool')
  if (!isJsonObject(input)) throw invalidParams('params.arguments must be an object')
  const { 'idempotency-key': idempotencyKey } = IdempotencyHeaders.parse(headers)
  return toCallRequest({
    kind: 'broker',
    surface: 'mcp',
    capability: name,
    input,
    endUserToken: undefined,
    idempotencyKey,
    canAsk: false,
    // In earlier revisions a connection that closes cancels nothing.
    endsWithCaller: era === 'modern',
  })
}

function toResult(outcome: CallOutcome, { era }: Request): ToolResult {
  if (!outcome.ok) return failure(outcome.body.error.message)
  if ('approval' in outcome.body) throw new Error('a call asked for an approval that its client cannot show')
  const output = withoutReserved(JsonDocument.of(outcome.body.output))
  const isStructured = era === 'modern' || output.text.startsWith('{')
  return {
    content: [{ type: 'text', text: output.text }],
    isError: false,
    ...(isStructured && { structuredContent: output }),
  }
}

/** Refusals that a model can mend, or should tell its user of; null for others. */
function toldAsResult(error: unknown): ToolResult | null {
  if (!(error instanceof AppError)) return null
  const { code, message, fieldErrors = {} } = error
  if (code === 'not_found') throw invalidParams('Unknown tool')
  if (code === 'forbidden' || code === 'unauthorized') return failure(message)
  if (code !== 'validation_error' || !('input' in fieldErrors)) return null
  return failure(
    Object.entries(fieldErrors)
      .map(([field, faults]) => `${field}: ${faults.join(' ')}`)
      .join('\n'),
  )
}

function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

export function invalidParams(what: string, data?: JsonObject): MessageFault {
  return new MessageFault(200, CODES.invalidParams, `Invalid params: ${what}`, data)
}
