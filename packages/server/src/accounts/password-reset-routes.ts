import { ErrorBody, PasswordResetAnswer, PasswordResetConfirmation, PasswordResetRequest } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { describeRoutes } from '../http/describe-routes.ts'
import { typed } from '../http/typed.ts'
import { Secret } from '../secrets/secret.ts'
import type { AccountDeps } from './deps.ts'
import { askForReset, setForgottenPassword } from './password-reset.ts'
import { SMALL } from './routes.ts'

const describeRoute = describeRoutes('Account')
const ASK = describeRoute('askForPasswordReset', 'Mail a link that sets a new password', {
  description:
    'The answer, and its time, are the same whether the address has an account or not. 403 where the service sends no mail.',
  body: PasswordResetRequest,
  response: { 200: PasswordResetAnswer, 403: ErrorBody, 429: ErrorBody },
})
const CONFIRM = describeRoute('confirmPasswordReset', 'Set a new password with the token of a link', {
  description:
    'A link works once, for 30 minutes. All sessions of the member end, and with `revokeKeys` their API keys; two-factor sign-in stays on.',
  body: PasswordResetConfirmation,
  response: { 200: PasswordResetAnswer, 403: ErrorBody, 429: ErrorBody },
})

/** Public plane, behind the hook of the sign-in routes that refuses pages of other origins. */
export function passwordResetRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)

  routes.post(
    '/v1/auth/password-reset',
    { schema: ASK, config: SMALL },
    async (request): Promise<PasswordResetAnswer> => {
      await askForReset(deps, { email: request.body.email, ip: request.ip })
      return { status: 'ok' }
    },
  )

  routes.post(
    '/v1/auth/password-reset/confirm',
    { schema: CONFIRM, config: SMALL },
    async (request): Promise<PasswordResetAnswer> => {
      const { token, password, revokeKeys } = request.body
      await setForgottenPassword(deps, { token, password: new Secret(password), revokeKeys, ip: request.ip })
      return { status: 'ok' }
    },
  )
}
