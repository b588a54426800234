import { isJsonObject, type JsonObject, type PendingApproval, Preview } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import { decideApproval } from '../approvals/decide-approval.ts'
import type { ApprovalDeps } from '../approvals/deps.ts'
import { statusAt } from '../approvals/rules.ts'
import { answerOf } from '../approvals/standing.ts'
import { accountOfRequest, locatedOf, setExecution, stateOf } from '../http/request-state.ts'
import { JsonDocument } from '../lib/json-document.ts'
import { invalidParams } from './messages.ts'
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
  return [title, ...lines, ...(amount ? [`${amount.value} ${amount.currency}`] : [])].join('\n')
}

/** A call that was made before, with what a person said. Throws the fault of one that is not the call of its state. */
export async function answerDecision(
  deps: ApprovalDeps,
  reply: FastifyReply,
  { responses, ...call }: Omit<RepeatedCall, 'runtimeId'> & { responses: unknown },
): Promise<ToolResult | InputRequired> {
  const { request } = reply
  const located = locatedOf(request)
  const { runtimeId } = located.runtime
  const opened = await openApproval(deps, { ...call, runtimeId })
  if (!opened) throw invalidParams('params.requestState is not one of this call')
  const { approval, approvalId, approvalKey } = opened
  setExecution(request, approval.execution_id)
  const decision = decisionIn(responses)
  if (decision === 'none' && statusAt(approval, deps.clock.now()) === 'pending') {
    return askPerson({ approvalId, approvalKey, preview: Preview.parse(JSON.parse(approval.preview)) })
  }
  if (decision === 'cancel') return failure('The person was asked and has not decided. The call was not run.')
  if (decision === 'none') return toResult(await answerOf(deps, approval))
  const scope = deps.running.begin(accountOfRequest(request), deps.limits.executionMs, stateOf(request))
  const caller = { owns: (found: { runtime_id: string }) => found.runtime_id === runtimeId, locate: () => located }
  try {
    const said = { decision, approvalId, approvalKey, endUserToken: undefined }
    return toResult(await decideApproval(deps, { caller, scope }, said))
  } finally {
    scope.end()
  }
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
