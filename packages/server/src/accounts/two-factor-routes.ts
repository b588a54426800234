import {
  ConfirmTwoFactorRequest,
  ErrorBody,
  RecoveryCodes,
  StartedTwoFactor,
  StartTwoFactorRequest,
  StopTwoFactorRequest,
  TwoFactor,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { describeRoutes } from '../http/describe-routes.ts'
import { callerOf, signedIn } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { Secret } from '../secrets/secret.ts'
import { selfOf } from './accounts.ts'
import type { AccountDeps } from './deps.ts'
import { confirmTwoFactor, startTwoFactor, stopTwoFactor, twoFactorOf } from './two-factor.ts'

const PATH = '/v1/auth/totp'

const describeRoute = describeRoutes('Account')
const STATE = describeRoute('getTwoFactor', 'Whether two-factor sign-in is on', {
  response: { 200: TwoFactor, 403: ErrorBody },
})
const START = describeRoute('startTwoFactor', 'Get a secret for an app that makes codes', {
  description: 'Needs a session. It is asked for at sign-in only once one of its codes was confirmed.',
  body: StartTwoFactorRequest,
  response: { 201: StartedTwoFactor, 403: ErrorBody, 429: ErrorBody },
})
const CONFIRM = describeRoute('confirmTwoFactor', 'Turn two-factor sign-in on with the first code of the app', {
  description: 'Needs a session. The recovery codes are shown this once; each works once in place of a code.',
  body: ConfirmTwoFactorRequest,
  response: { 200: RecoveryCodes, 403: ErrorBody, 429: ErrorBody },
})
const STOP = describeRoute('stopTwoFactor', 'Turn two-factor sign-in off', {
  description: 'Needs a session, the password, and a code of the app or a recovery code.',
  body: StopTwoFactorRequest,
  response: { 200: TwoFactor, 403: ErrorBody, 429: ErrorBody },
})

/** Owner plane: two-factor sign-in. */
export function twoFactorRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)

  routes.get(PATH, { schema: STATE }, async (request) => twoFactorOf(deps, await selfOf(deps, callerOf(request))))

  routes.post(PATH, { schema: START }, async (request, reply) => {
    const started = await startTwoFactor(deps, signedIn(request).member, new Secret(request.body.password))
    return reply.code(201).send(started)
  })

  routes.post(`${PATH}/confirm`, { schema: CONFIRM }, async (request): Promise<RecoveryCodes> => {
    return { recoveryCodes: await confirmTwoFactor(deps, signedIn(request).member, request.body.code) }
  })

  routes.delete(PATH, { schema: STOP }, (request) => {
    const { password, code } = request.body
    return stopTwoFactor(deps, signedIn(request).member, { password: new Secret(password), code })
  })
}
