import * as contract from '@svc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseForeignPages } from '../http/csrf.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { presentedSession } from '../http/planes.ts'
import { clearSessionCookie, setSessionCookie } from '../http/session-cookie.ts'
import { typed } from '../http/typed.ts'
import { Secret } from '../secrets/secret.ts'
import type { AccountDeps } from './deps.ts'
import { deviceLabel } from './device-label-rules.ts'
import { beginDeviceLogin, pollDeviceLogin } from './device-login.ts'
import { acceptInvitation, readInvitation } from './invitations.ts'
import { askForReset, setForgottenPassword } from './password-reset.ts'
import { endSession } from './sessions.ts'
import { signIn, signUp } from './sign-in.ts'

const { ErrorBody } = contract

const describeRoute = describeRoutes('Account')
const SIGN_UP = describeRoute('signUp', 'Open an account and sign in', {
  body: contract.SignUpRequest,
  response: { 201: contract.Session, 403: ErrorBody, 429: ErrorBody },
})
const SIGN_IN = describeRoute('signIn', 'Sign in', {
  body: contract.SignInRequest,
  response: { 200: contract.Session, 401: ErrorBody, 403: ErrorBody, 429: ErrorBody },
})
const SIGN_OUT = describeRoute('signOut', 'Sign out', { response: { 200: contract.SignedOut, 403: ErrorBody } })
const BEGIN = describeRoute('beginDeviceLogin', 'Ask for a device code', {
  description: 'The device authorization request of RFC 8628, for a program on a machine of the owner’s.',
  body: contract.DeviceLoginRequest,
  response: { 201: contract.DeviceLogin, 403: ErrorBody },
})
const POLL = describeRoute('pollDeviceLogin', 'Ask whether a device was confirmed, and for its key', {
  description: '403 where the owner declined, 429 where the last poll was less than `interval` seconds ago.',
  body: contract.DevicePollRequest,
  response: { 200: contract.DevicePoll, 403: ErrorBody },
})
const ASK = describeRoute('askForPasswordReset', 'Mail a link that sets a new password', {
  description:
    'The answer, and its time, are the same whether the address has an account or not. 403 where the service sends no mail.',
  body: contract.PasswordResetRequest,
  response: { 200: contract.PasswordResetAnswer, 403: ErrorBody, 429: ErrorBody },
})
const CONFIRM = describeRoute('confirmPasswordReset', 'Set a new password with the token of a link', {
  description:
    'A link works once, for 30 minutes. All sessions of the member end, and with `revokeKeys` their API keys; two-factor sign-in stays on.',
  body: contract.PasswordResetConfirmation,
  response: { 200: contract.PasswordResetAnswer, 403: ErrorBody, 429: ErrorBody },
})

const describeInvitation = describeRoutes('Members')
const READ = describeInvitation('readInvitation', 'What the holder of a link is invited to', {
  body: contract.ReadInvitationRequest,
  response: { 200: contract.OpenInvitation, 403: ErrorBody, 429: ErrorBody },
})
const ACCEPT = describeInvitation('acceptInvitation', 'Accept an invitation and sign in', {
  description: '403 where the address has an account already, and where the account has as many members as it can.',
  body: contract.AcceptInvitationRequest,
  response: { 201: contract.Session, 403: ErrorBody, 429: ErrorBody },
})

/** Public plane: all that leads to a credential. A page of another origin is refused before its body is read. */
export function signInRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)
  const config = { maxBodyBytes: 8 * 1024, isSignIn: true }
  routes.addHook('onRequest', async (request) => refuseForeignPages(request, deps.baseUrl()))

  routes.post('/v1/auth/sign-up', { schema: SIGN_UP, config }, async (request, reply) => {
    const { email, password } = request.body
    const session = await signUp(deps, { email, password: new Secret(password), ...clientOf(request) })
    return reply.code(201).send(giveCookie(deps, reply, session))
  })

  routes.post('/v1/auth/sign-in', { schema: SIGN_IN, config }, async (request, reply) => {
    const { email, password, code } = request.body
    const session = await signIn(deps, { email, password: new Secret(password), code, ...clientOf(request) })
    return giveCookie(deps, reply, session)
  })

  routes.post('/v1/auth/sign-out', { schema: SIGN_OUT, config }, async (request, reply) => {
    const presented = presentedSession(deps, request)
    if (presented !== undefined) await endSession(deps, presented)
    clearSessionCookie(reply, deps.baseUrl())
    return OK
  })

  routes.post('/v1/auth/device', { schema: BEGIN, config }, async (request, reply) =>
    reply.code(201).send(await beginDeviceLogin(deps, request.body.machine, request.ip)),
  )

  routes.post('/v1/auth/device/token', { schema: POLL, config }, (request) =>
    pollDeviceLogin(deps, request.body.deviceCode),
  )

  routes.post('/v1/auth/password-reset', { schema: ASK, config }, async (request) => {
    await askForReset(deps, request.body.email, request.ip)
    return OK
  })

  routes.post('/v1/auth/password-reset/confirm', { schema: CONFIRM, config }, async (request) => {
    const { password, ...given } = request.body
    await setForgottenPassword(deps, { ...given, password: new Secret(password), ip: request.ip })
    return OK
  })

  routes.post('/v1/auth/invitation', { schema: READ, config }, (request) =>
    readInvitation(deps, request.body.token, request.ip),
  )

  routes.post('/v1/auth/invitation/accept', { schema: ACCEPT, config }, async (request, reply) => {
    const { token, password } = request.body
    const session = await acceptInvitation(deps, { token, password: new Secret(password), ...clientOf(request) })
    return reply.code(201).send(giveCookie(deps, reply, session))
  })
}

const OK = { status: 'ok' } as const

/** The device and address that a session begins on. */
export function clientOf({ ip, headers }: FastifyRequest) {
  return { ip, device: deviceLabel(headers['user-agent']) }
}

/** Answers with a session, as a cookie, too. */
export function giveCookie(deps: AccountDeps, reply: FastifyReply, session: contract.Session): contract.Session {
  const cookie = { value: session.token, expiresAt: Date.parse(session.expiresAt) }
  setSessionCookie(reply, deps.baseUrl(), cookie, deps.clock.now())
  return session
}
