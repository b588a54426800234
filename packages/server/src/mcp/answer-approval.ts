import { isJsonObject, type JsonObject, type PendingApproval, Preview } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import { decideApproval } from '../approvals/decide-approval.ts'
import { plainLine, statusAt } from '../approvals/rules.ts'
import { answerOf } from '../approvals/standing.ts'
import { requireSameSignIn } from '../end-users/verify-token.ts'
import { AppError } from '../errors.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import { judgedAgain } from '../http/cors.ts'
import { accountOfRequest, confirmedRuntimeOf, setExecution, stateOf } from '../http/request-state.ts'
import { JsonDocument } from '../lib/json-document.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import { invalidParams, type MessageFault, unknownTool } from './messages.ts'
import { approvalState, openApproval, type RepeatedCall } from './open-approval.ts'
import { failure, output, type ToolResult } from './tool-results.ts'

/** The answer to a call that waits for a person: its client asks that person, and repeats the call with what was said. */
export interface InputRequired {
  resultType: 'input_required'
  inputRequests: Record<typeof QUESTION, object>
  /** Opens this one approval, and nothing else. */
  requestState: string
}

const QUESTION = 'approval'

/** Whether a client can show a form to a person. One without fields of its own means forms. */
export function canElicit({ elicitation }: JsonObject): boolean {
  return isJsonObject(elicitation) && ('form' in elicitation || Object.keys(elicitation).length === 0)
}

export function askPerson({ approvalId, approvalKey, preview }: Asked): InputRequired {
  const requestedSchema = {
    type: 'object',
    properties: {
      approve: { type: 'boolean', title: 'Approve', description: 'Yes: the call runs once, as it is shown.' },
    },
    required: ['approve'],
  }
  const params = { mode: 'form', message: textOf(preview), requestedSchema }
  return {
    resultType: 'input_required',
    inputRequests: { [QUESTION]: { method: 'elicitation/create', params } },
    requestState: approvalState({ approvalId, approvalKey }),
  }
}

type Asked = Pick<PendingApproval, 'approvalId' | 'approvalKey' | 'preview'>

function textOf({ title, lines = [], amount }: Preview): string {
  const sum = amount ? [`${amount.value} ${amount.currency}`] : []
  // A value that the endpoint repeats must not look like a line of its own.
  return [title, ...lines, ...sum].map((line) => plainLine(line)).join('\n')
}

/** A call that was made before, with what a person said. Throws the fault of one that is not the call of its state. */
export async function answerDecision(
  deps: ExecutionDeps,
  reply: FastifyReply,
  { responses, ...call }: Omit<RepeatedCall, 'runtimeId'> & { responses: unknown },
): Promise<ToolResult | InputRequired> {
  const { request } = reply
  const cached = await confirmedRuntimeOf(request)
  const { runtimeId } = cached.runtime
  const requireSame = (runtime: ServingRuntime) => {
    // A later deployment may have removed the tool, ask for a user, or sign users in elsewhere.
    const capability = runtime.deployment?.capabilities.get(call.name)
    if (!capability) throw unknownTool()
    if (capability.requiresEndUser && !call.endUser) throw otherState()
    requireSameSignIn(deps, runtime, call.endUser)
  }
  requireSame(cached.runtime)
  const opened = await openApproval(deps, { ...call, runtimeId })
  if (!opened) throw otherState()
  const { approval, approvalId, approvalKey } = opened
  setExecution(request, approval.execution_id)
  const decision = decisionIn(responses)
  if (decision === 'none' || decision === 'cancel') {
    if (statusAt(approval, deps.clock.now()) !== 'pending') return toResult(await answerOf(deps, approval))
    if (decision === 'cancel') return failure('The person was asked and has not decided. The call was not run.')
    return askPerson({ approvalId, approvalKey, preview: Preview.parse(JSON.parse(approval.preview)) })
  }
  const scope = deps.running.begin(accountOfRequest(request), deps.limits.executionMs, stateOf(request))
  const caller = {
    owns: (found: { runtime_id: string }) => found.runtime_id === runtimeId,
    locate: () => judgedAgain(cached, requireSame),
  }
  try {
    const said = { decision, approvalId, approvalKey, endUserToken: undefined, endUser: call.endUser }
    return toResult(await decideApproval(deps, { caller, scope }, said))
  } catch (error) {
    throw error instanceof AppError && error.code === 'not_found' ? otherState() : error
  } finally {
    scope.end()
  }
}

/** The same for a state that nothing answers to, for another call's and for another user's. */
function otherState(): MessageFault {
  return invalidParams(
    'params.requestState is not one of this call: repeat it with the tool, the arguments and the user that it was given for',
  )
}

/** Only an explicit yes approves; a form that was left blank asks again. */
function decisionIn(responses: unknown): 'approve' | 'decline' | 'cancel' | 'none' {
  const response = isJsonObject(responses) ? responses[QUESTION] : undefined
  const { action, content } = isJsonObject(response) ? response : {}
  if (action === 'decline' || action === 'cancel') return action
  if (action !== 'accept' || !isJsonObject(content)) return 'none'
  const { approve } = content
  if (typeof approve !== 'boolean') return 'none'
  return approve ? 'approve' : 'decline'
}

function toResult({ result }: Awaited<ReturnType<typeof answerOf>>): ToolResult {
  if (!result) return failure('The call was approved and is under way: ask again.')
  if (result.error) return failure(result.error.message)
  return output(JsonDocument.of(result.output), 'modern')
}
