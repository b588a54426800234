import {
  Account,
  ChangePasswordRequest,
  ErrorBody,
  Session,
  SignedOut,
  SignInRequest,
  SignUpRequest,
} from '@svc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseForeignPages } from '../http/csrf.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { callerOf, presentedSession, signedIn } from '../http/planes.ts'
import { clearSessionCookie, setSessionCookie } from '../http/session-cookie.ts'
import { typed } from '../http/typed.ts'
import { Secret } from '../secrets/secret.ts'
import { accountOf } from './accounts.ts'
import type { AccountDeps } from './deps.ts'
import { deviceLabel } from './device-label-rules.ts'
import { endSession } from './sessions.ts'
import { changePassword, signIn, signUp } from './sign-in.ts'

const describeRoute = describeRoutes('Account')
const SIGN_UP = describeRoute('signUp', 'Open an account and sign in', {
  body: SignUpRequest,
  response: { 201: Session, 403: ErrorBody, 429: ErrorBody },
})
const SIGN_IN = describeRoute('signIn', 'Sign in', {
  body: SignInRequest,
  response: { 200: Session, 401: ErrorBody, 403: ErrorBody, 429: ErrorBody },
})
const SIGN_OUT = describeRoute('signOut', 'Sign out', { response: { 200: SignedOut, 403: ErrorBody } })
const ACCOUNT = describeRoute('getAccount', 'Who is asking', { response: { 200: Account } })
const PASSWORD = describeRoute('changePassword', 'Change the password', {
  body: ChangePasswordRequest,
  response: { 200: Session, 429: ErrorBody },
})

/** The config of routes without a credential, whose bodies are small. */
export const SMALL = { maxBodyBytes: 8 * 1024, isSignIn: true }

/** Public plane: sign-up, sign-in and sign-out. A page of another origin is refused before its body is read. */
export function authRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)
  routes.addHook('onRequest', async (request) => refuseForeignPages(request, deps.baseUrl()))

  routes.post('/v1/auth/sign-up', { schema: SIGN_UP, config: SMALL }, async (request, reply) => {
    const { email, password } = request.body
    const session = await signUp(deps, { email, password: new Secret(password), ...clientOf(request) })
    giveCookie(deps, reply, session)
    return reply.code(201).send(session)
  })

  routes.post('/v1/auth/sign-in', { schema: SIGN_IN, config: SMALL }, async (request, reply) => {
    const { email, password, code } = request.body
    const session = await signIn(deps, { email, password: new Secret(password), code, ...clientOf(request) })
    return giveCookie(deps, reply, session)
  })

  routes.post('/v1/auth/sign-out', { schema: SIGN_OUT, config: SMALL }, async (request, reply): Promise<SignedOut> => {
    const presented = presentedSession(deps, request)
    if (presented !== undefined) await endSession(deps, presented)
    clearSessionCookie(reply, deps.baseUrl())
    return { status: 'ok' }
  })
}

/** Owner plane: the account of the request. */
export function accountRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)

  routes.get('/v1/account', { schema: ACCOUNT }, (request) => accountOf(deps, callerOf(request)))

  routes.post('/v1/account/password', { schema: PASSWORD }, async (request, reply) => {
    const current = signedIn(request)
    const { currentPassword, newPassword } = request.body
    const live = { ...current, device: clientOf(request).device }
    const session = await changePassword(deps, live, new Secret(currentPassword), new Secret(newPassword))
    return current.isFromCookie ? giveCookie(deps, reply, session) : session
  })
}

/** The device and address that a session begins on. */
export function clientOf({ ip, headers }: FastifyRequest) {
  return { ip, device: deviceLabel(headers['user-agent']) }
}

/** Answers with a session, as a cookie, too. */
export function giveCookie(deps: AccountDeps, reply: FastifyReply, session: Session): Session {
  const cookie = { value: session.token, expiresAt: Date.parse(session.expiresAt) }
  setSessionCookie(reply, deps.baseUrl(), cookie, deps.clock.now())
  return session
}
