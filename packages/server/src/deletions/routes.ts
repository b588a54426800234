import * as contract from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { ProjectIdParam, RuntimeParams } from '../http/params.ts'
import { ownerOf, signedIn } from '../http/planes.ts'
import { clearSessionCookie } from '../http/session-cookie.ts'
import { typed } from '../http/typed.ts'
import { deleteAccount, deleteProject, deleteRuntime } from './deletions.ts'
import type { DeletionDeps } from './deps.ts'

const RUNTIME = describeRoutes('Runtimes')('deleteRuntime', 'Delete a runtime', {
  description:
    'Its keys and its addresses stop at once, and its executions under way are stopped. Its deployments, executions, approvals, events and usage are deleted in the background; usage of the present hour counts until the hour is over. Its id is not given again.',
  params: RuntimeParams,
  body: contract.DeleteRuntimeRequest,
  response: { 200: contract.DeletedRuntime },
})

const PROJECT = describeRoutes('Projects')('deleteProject', 'Delete an empty project', {
  description: 'The default project stays, and so does one that has runtimes: delete those first.',
  params: z.object({ projectId: ProjectIdParam }),
  body: contract.DeleteProjectRequest,
  response: { 200: contract.DeletedProject },
})

const ACCOUNT = describeRoutes('Account')('deleteAccount', 'Delete the account', {
  description:
    'With a session and the password. Its keys, sessions and runtimes stop at once, those of all members, and everything is deleted in the background but its payments. Where a subscription pays for its plan, `cancelSubscription` has to be true.',
  body: contract.DeleteAccountRequest,
  response: { 200: contract.DeletedAccount, 429: contract.ErrorBody },
})

/** Owner plane: deleting. Each request confirms by its body what it deletes. */
export function deletionRoutes(plane: FastifyInstance, deps: DeletionDeps): void {
  const routes = typed(plane)

  routes.delete('/v1/runtimes/:runtimeId', { schema: RUNTIME }, (request) =>
    deleteRuntime(deps, ownerOf(request), { ...request.params, ...request.body }),
  )

  routes.delete('/v1/projects/:projectId', { schema: PROJECT }, (request) =>
    deleteProject(deps, ownerOf(request), { ...request.params, ...request.body }),
  )

  routes.delete('/v1/account', { schema: ACCOUNT, config: { skipsAccountQueue: true } }, async (request, reply) => {
    const session = signedIn(request, 'to delete the account')
    const deleted = await deleteAccount(deps, session, request.body)
    if (session.isFromCookie) clearSessionCookie(reply, deps.baseUrl())
    return deleted
  })
}
