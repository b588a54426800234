import * as contract from '@svc/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { callerOf, sessionOfRequest, signedIn } from '../http/planes.ts'
import { clearSessionCookie } from '../http/session-cookie.ts'
import { typed } from '../http/typed.ts'
import { Secret } from '../secrets/secret.ts'
import { accountOf, selfOf } from './accounts.ts'
import type { AccountDeps } from './deps.ts'
import { answerDevice, waitingDevice } from './device-login.ts'
import { listOwnSessions, revokeOtherSessions, revokeSession } from './sessions.ts'
import { changePassword } from './sign-in.ts'
import { clientOf, giveCookie } from './sign-in-routes.ts'
import { confirmTwoFactor, startTwoFactor, stopTwoFactor, twoFactorOf } from './two-factor.ts'

const { ErrorBody } = contract
const ofDevice = z.object({ userCode: z.string().max(64).describe('The code that the device shows, `WDJB-MJHT`.') })
const ofSession = z.object({ sessionId: z.string().describe('The id of a session, `ses_…`.') })

const describeRoute = describeRoutes('Account')
const ACCOUNT = describeRoute('getAccount', 'Who is asking', { response: { 200: contract.Account } })
const PASSWORD = describeRoute('changePassword', 'Change the password', {
  body: contract.ChangePasswordRequest,
  response: { 200: contract.Session, 429: ErrorBody },
})
const SESSIONS = describeRoute('listSessions', 'List the sessions of the member, the last used first', {
  response: { 200: contract.SessionList, 403: ErrorBody },
})
const REVOKE = describeRoute('revokeSession', 'Revoke a session at once', {
  params: ofSession,
  response: { 200: contract.RevokedSession },
})
const REVOKE_OTHERS = describeRoute('revokeOtherSessions', 'Revoke every session but the one of the request', {
  response: { 200: contract.RevokedSessions },
})
const WAITING = describeRoute('getWaitingDevice', 'Which device waits under a user code', {
  params: ofDevice,
  response: { 200: contract.WaitingDevice },
})
const ANSWER = describeRoute('answerDevice', 'Let a device have a key of one’s own, or refuse it', {
  description: 'With a session.',
  params: ofDevice,
  body: contract.DeviceDecision,
  response: { 200: contract.DeviceDecision },
})
const TOTP = describeRoute('getTwoFactor', 'Whether two-factor sign-in is on', {
  response: { 200: contract.TwoFactor, 403: ErrorBody },
})
const START_TOTP = describeRoute('startTwoFactor', 'Get a secret for an app that makes codes', {
  description: 'Needs a session. It is asked for at sign-in only once one of its codes was confirmed.',
  body: contract.StartTwoFactorRequest,
  response: { 201: contract.StartedTwoFactor, 403: ErrorBody, 429: ErrorBody },
})
const CONFIRM_TOTP = describeRoute('confirmTwoFactor', 'Turn two-factor sign-in on with the first code of the app', {
  description: 'Needs a session. The recovery codes are shown this once; each works once in place of a code.',
  body: contract.ConfirmTwoFactorRequest,
  response: { 200: contract.RecoveryCodes, 403: ErrorBody, 429: ErrorBody },
})
const STOP_TOTP = describeRoute('stopTwoFactor', 'Turn two-factor sign-in off', {
  description: 'Needs a session, the password, and a code of the app or a recovery code.',
  body: contract.StopTwoFactorRequest,
  response: { 200: contract.TwoFactor, 403: ErrorBody, 429: ErrorBody },
})

/** Owner plane: the account of the request, and how its member signs in. */
export function accountRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)
  const self = (request: FastifyRequest) => selfOf(deps, callerOf(request))

  routes.get('/v1/account', { schema: ACCOUNT }, (request) => accountOf(deps, callerOf(request)))

  routes.post('/v1/account/password', { schema: PASSWORD }, async (request, reply) => {
    const current = signedIn(request)
    const session = await changePassword(deps, { ...current, device: clientOf(request).device }, request.body)
    return current.isFromCookie ? giveCookie(deps, reply, session) : session
  })

  routes.get('/v1/auth/sessions', { schema: SESSIONS }, async (request) =>
    listOwnSessions(deps, await self(request), sessionOfRequest(request)?.sessionId ?? null),
  )

  routes.delete('/v1/auth/sessions', { schema: REVOKE_OTHERS }, (request) =>
    revokeOtherSessions(deps, signedIn(request, 'to revoke all other sessions')),
  )

  routes.delete('/v1/auth/sessions/:sessionId', { schema: REVOKE }, async (request, reply) => {
    const { sessionId } = request.params
    const revoked = await revokeSession(deps, await self(request), sessionId)
    const session = sessionOfRequest(request)
    if (session?.isFromCookie && session.sessionId === sessionId) clearSessionCookie(reply, deps.baseUrl())
    return revoked
  })

  routes.get('/v1/account/devices/:userCode', { schema: WAITING }, (request) =>
    waitingDevice(deps, callerOf(request), { ...request.params, ip: request.ip }),
  )

  routes.post('/v1/account/devices/:userCode', { schema: ANSWER }, (request) =>
    answerDevice(deps, callerOf(request), { ...request.params, ...request.body, ip: request.ip }),
  )

  routes.get('/v1/auth/totp', { schema: TOTP }, async (request) => twoFactorOf(deps, await self(request)))

  routes.post('/v1/auth/totp', { schema: START_TOTP }, async (request, reply) => {
    const started = await startTwoFactor(deps, signedIn(request).member, new Secret(request.body.password))
    return reply.code(201).send(started)
  })

  routes.post('/v1/auth/totp/confirm', { schema: CONFIRM_TOTP }, async (request) => ({
    recoveryCodes: await confirmTwoFactor(deps, signedIn(request).member, request.body.code),
  }))

  routes.delete('/v1/auth/totp', { schema: STOP_TOTP }, (request) =>
    stopTwoFactor(deps, signedIn(request).member, request.body),
  )
}
