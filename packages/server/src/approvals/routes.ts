import {
  APPROVAL_KEY_HEADER,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalList,
  ApprovalStatus,
  ErrorBody,
} from '@svc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { invalid } from '../errors.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import { sizeFaults } from '../executions/payload-rules.ts'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { reserveRead } from '../http/in-flight.ts'
import { answerJsonText } from '../http/json-answer.ts'
import { PageCursor, PageLimit } from '../http/page.ts'
import { ownerOf } from '../http/planes.ts'
import { accountOfRequest, confirmedRuntimeOf, setExecution, setRuntime, stateOf } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import { lookUpById } from '../runtimes/serving-cache.ts'
import { type ApprovalCaller, decideApproval, readApproval } from './decide-approval.ts'
import { listApprovals } from './list-approvals.ts'

const PAGE_PATH = '/v1/runtime/approvals/:approvalId'
const OWNER_PATH = '/v1/executions/approvals/:approvalId'

const Params = z.object({ approvalId: z.string().describe('The id of an approval, `apr_…`.') })
const Query = z.strictObject({
  limit: PageLimit,
  cursor: PageCursor,
  status: ApprovalStatus.optional().describe('Only those of this status.'),
})

const DECIDE_SUMMARY = 'Approve or decline a call'
const READ_SUMMARY = 'Fetch where an approval stands'
const DECIDE = {
  description:
    'Approving dispatches the call once, and answers what became of it: 200 also where it failed. Asked again, it answers the same and does nothing. A wrong id, key, end user’s token or runtime is one and the same 404.',
  params: Params,
  body: ApprovalDecision,
  response: { 200: ApprovalAnswer, 404: ErrorBody },
} as const

const READ = {
  description:
    'The header `x-svc-approval-key` carries the approval’s key. A wrong id, key or runtime is one and the same 404.',
  params: Params,
  response: { 200: ApprovalAnswer, 404: ErrorBody },
} as const

const describeRoute = describeRoutes('Executions')
const LIST = describeRoute('listApprovals', 'List approvals', {
  description: 'Calls for which a person’s approval was asked, newest first. The input is shown while the call waits.',
  querystring: Query,
  response: { 200: ApprovalList },
})

const describePageRoute = describeRoutes('Chat')

/** Public-key plane: approvals of the runtime of the key. */
export function pageApprovalRoutes(plane: FastifyInstance, deps: ExecutionDeps): void {
  answerPreflights(plane, [PAGE_PATH], 'GET, POST')
  const callerOf = async (request: FastifyRequest): Promise<ApprovalCaller> => {
    const cached = await confirmedRuntimeOf(request)
    const { runtimeId } = cached.runtime
    return { owns: (approval) => approval.runtime_id === runtimeId, locate: () => cached }
  }
  const decide = describePageRoute('decideApproval', DECIDE_SUMMARY, DECIDE)
  const read = describePageRoute('getApproval', READ_SUMMARY, READ)
  const config = { isRateLimited: true, load: 'execution' } as const
  typed(plane).post(PAGE_PATH, { schema: decide, config }, async (request, reply) =>
    answerDecision(deps, { reply, caller: await callerOf(request) }, { ...request.body, ...request.params }),
  )
  typed(plane).get(PAGE_PATH, { schema: read, config: { isRateLimited: true } }, async (request) =>
    readApproval(deps, await callerOf(request), { ...request.params, approvalKey: keyOf(request) }),
  )
}

/** Owner plane: approvals of the owner's runtimes. */
export function ownerApprovalRoutes(plane: FastifyInstance, deps: ExecutionDeps): void {
  const callerOf = (request: FastifyRequest): ApprovalCaller => {
    const { ownerId } = ownerOf(request)
    return {
      owns: (approval) => approval.owner_id === ownerId,
      async locate({ runtime_id: runtimeId }) {
        const cached = await lookUpById(deps, { runtimeId, what: 'The approval' }, () => true)
        setRuntime(request, cached.runtime)
        return cached
      },
    }
  }
  const decide = describeRoute('decideApprovalAsOwner', DECIDE_SUMMARY, DECIDE)
  const read = describeRoute('getApprovalAsOwner', READ_SUMMARY, READ)
  typed(plane).get('/v1/executions/approvals', { schema: LIST, config: { readsMuch: true } }, (request) => {
    const { limit, cursor, status } = request.query
    return listApprovals(deps, ownerOf(request), { limit, cursor, status, reserve: reserveRead(deps, request) })
  })
  typed(plane).post(OWNER_PATH, { schema: decide, config: { load: 'execution' } }, (request, reply) =>
    answerDecision(deps, { reply, caller: callerOf(request) }, { ...request.body, ...request.params }),
  )
  typed(plane).get(OWNER_PATH, { schema: read }, (request) =>
    readApproval(deps, callerOf(request), { ...request.params, approvalKey: keyOf(request) }),
  )
}

/** A person who leaves before the answer has approved all the same: the call is not stopped. */
async function answerDecision(
  deps: ExecutionDeps,
  { reply, caller }: { reply: FastifyReply; caller: ApprovalCaller },
  decision: z.output<typeof ApprovalDecision> & { approvalId: string },
): Promise<ApprovalAnswer> {
  const { request } = reply
  const { endUserToken = '' } = decision
  const faults = sizeFaults({ endUserToken: { byteLength: Buffer.byteLength(endUserToken) } }, deps.limits)
  if (faults) throw invalid(faults)
  const scope = deps.running.begin(accountOfRequest(request), deps.limits.executionMs, stateOf(request))
  try {
    const answer = await decideApproval(deps, { caller, scope }, decision)
    setExecution(request, answer.executionId)
    answerJsonText(reply)
    return answer
  } finally {
    scope.end()
  }
}

// A missing key is a wrong one.
function keyOf({ headers: { [APPROVAL_KEY_HEADER]: key } }: FastifyRequest): string {
  return typeof key === 'string' ? key : ''
}
