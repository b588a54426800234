import { ErrorBody, RevokedSession, RevokedSessions, SessionList } from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { callerOf, sessionOfRequest, signedIn } from '../http/planes.ts'
import { clearSessionCookie } from '../http/session-cookie.ts'
import { typed } from '../http/typed.ts'
import { selfOf } from './accounts.ts'
import type { AccountDeps } from './deps.ts'
import { listOwnSessions, revokeOtherSessions, revokeSession } from './session-list.ts'

const describeRoute = describeRoutes('Account')
const LIST = describeRoute('listSessions', 'List the sessions of the member, the last used first', {
  response: { 200: SessionList, 403: ErrorBody },
})
const REVOKE = describeRoute('revokeSession', 'Revoke a session at once', {
  params: z.object({ sessionId: z.string().describe('The id of a session, `ses_…`.') }),
  response: { 200: RevokedSession },
})
const REVOKE_OTHERS = describeRoute('revokeOtherSessions', 'Revoke every session but the one of the request', {
  response: { 200: RevokedSessions },
})

/** Owner plane: the sessions of the member. */
export function sessionRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)

  routes.get('/v1/auth/sessions', { schema: LIST }, async (request) =>
    listOwnSessions(deps, await selfOf(deps, callerOf(request)), currentId(request)),
  )

  routes.delete('/v1/auth/sessions', { schema: REVOKE_OTHERS }, async (request) => {
    const { member, sessionId } = signedIn(request, 'to revoke all other sessions')
    return revokeOtherSessions(deps, member, sessionId)
  })

  routes.delete('/v1/auth/sessions/:sessionId', { schema: REVOKE }, async (request, reply) => {
    const { sessionId } = request.params
    const revoked = await revokeSession(deps, await selfOf(deps, callerOf(request)), sessionId)
    const session = sessionOfRequest(request)
    if (session?.isFromCookie && session.sessionId === sessionId) clearSessionCookie(reply, deps.baseUrl())
    return revoked
  })
}

function currentId(request: FastifyRequest): string | null {
  return sessionOfRequest(request)?.sessionId ?? null
}
