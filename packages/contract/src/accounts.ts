import * as z from 'zod'
import { Timestamp } from './json.ts'
import { Role } from './roles.ts'
import { Tier } from './runtimes.ts'

/** An e-mail address. */
export const Email = z.email('must be an e-mail address.').max(254)

const LENGTH = 'must have 10 to 128 characters.'
/** A password that is set. */
export const NewPassword = z.string().min(10, LENGTH).max(128, LENGTH)
export const GivenPassword = z.string().min(1).max(128)
export const GivenCode = z.string().min(1).max(64)

/** Body of `POST /v1/auth/sign-up`. */
export const SignUpRequest = z.strictObject({ email: Email, password: NewPassword })
export type SignUpRequest = z.infer<typeof SignUpRequest>

/** Body of `POST /v1/auth/sign-in`. */
export const SignInRequest = z.strictObject({
  email: Email,
  password: GivenPassword,
  code: GivenCode.optional().describe(
    'Six digits of the account’s app, or a recovery code, where two-factor sign-in is on.',
  ),
})
export type SignInRequest = z.infer<typeof SignInRequest>

/** Body of `POST /v1/account/password`. Every other session of the member ends with it. */
export const ChangePasswordRequest = z.strictObject({ currentPassword: GivenPassword, newPassword: NewPassword })
export type ChangePasswordRequest = z.infer<typeof ChangePasswordRequest>

/** Body of `POST /v1/auth/password-reset`. */
export const PasswordResetRequest = z.strictObject({ email: Email })
export type PasswordResetRequest = z.infer<typeof PasswordResetRequest>

/** Answer of both routes. To the request it is the same whether the address has an account or not. */
export const PasswordResetAnswer = z.object({ status: z.literal('ok') })
export type PasswordResetAnswer = z.infer<typeof PasswordResetAnswer>

/** Body of `POST /v1/auth/password-reset/confirm`. Every session of the member ends with it. */
export const PasswordResetConfirmation = z.strictObject({
  token: z.string().min(1).max(128).describe('What stands after `#` in the link.'),
  password: NewPassword,
  revokeKeys: z
    .boolean()
    .optional()
    .describe(
      'Whether API keys end, too: those of the member’s `svc login` and, of an owner, those of the account. Default: they stay.',
    ),
})
export type PasswordResetConfirmation = z.infer<typeof PasswordResetConfirmation>

/** Whether two-factor sign-in is on. */
export const TwoFactor = z.object({
  isOn: z.boolean(),
  since: Timestamp.nullable(),
  recoveryCodesLeft: z.int().nonnegative(),
})
export type TwoFactor = z.infer<typeof TwoFactor>

/** Body of `POST /v1/auth/totp`. */
export const StartTwoFactorRequest = z.strictObject({ password: GivenPassword })
export type StartTwoFactorRequest = z.infer<typeof StartTwoFactorRequest>

/** A secret for an app that makes codes. It is asked for at sign-in once one of its codes was sent. */
export const StartedTwoFactor = z.object({
  secret: z.string().describe('20 bytes in base32.'),
  uri: z.string().describe('The same for an app that scans it: an `otpauth:` address of RFC 6238’s codes.'),
})
export type StartedTwoFactor = z.infer<typeof StartedTwoFactor>

/** Body of `POST /v1/auth/totp/confirm`. */
export const ConfirmTwoFactorRequest = z.strictObject({ code: GivenCode })
export type ConfirmTwoFactorRequest = z.infer<typeof ConfirmTwoFactorRequest>

/** Codes that each stand in for one code of the app. Only this answer holds them. */
export const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) })
export type RecoveryCodes = z.infer<typeof RecoveryCodes>

/** Body of `DELETE /v1/auth/totp`. */
export const StopTwoFactorRequest = z.strictObject({ password: GivenPassword, code: GivenCode })
export type StopTwoFactorRequest = z.infer<typeof StopTwoFactorRequest>

/** The account of a request on the owner plane, and who asks. */
export const Account = z.object({
  ownerId: z.string(),
  email: z.string().describe('The address of the account: that of one of its owners.'),
  tier: Tier,
  createdAt: Timestamp,
  // Older services leave them out.
  role: Role.default('owner'),
  member: z
    .object({ memberId: z.string(), email: z.string() })
    .nullable()
    .default(null)
    .describe('The member who asks; null for an API key of the account.'),
})
export type Account = z.infer<typeof Account>

/**
 * A session just begun. Browsers keep it in a cookie that pages cannot read; everything else sends `token` as a bearer
 * credential of the owner plane.
 */
export const Session = z.object({ account: Account, token: z.string(), expiresAt: Timestamp })
export type Session = z.infer<typeof Session>

/** Answer of `POST /v1/auth/sign-out`. */
export const SignedOut = z.object({ status: z.literal('ok') })
export type SignedOut = z.infer<typeof SignedOut>

/** A session of a member. `sessionId` is not its token, and opens nothing. */
export const SessionItem = z.object({
  sessionId: z.string(),
  device: z.string().nullable().describe('Browser and system, as the sign-in named them; null where it named none.'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe('To the minute.'),
  expiresAt: Timestamp,
  isCurrent: z.boolean().describe('Whether this request came with it.'),
})
export type SessionItem = z.infer<typeof SessionItem>

/** Answer of `GET /v1/auth/sessions`: the last used first. A member has 100 at most. */
export const SessionList = z.object({ sessions: z.array(SessionItem) })
export type SessionList = z.infer<typeof SessionList>

export const RevokedSession = z.object({ sessionId: z.string() })
export type RevokedSession = z.infer<typeof RevokedSession>

/** Answer of `DELETE /v1/auth/sessions`, which revokes all but the one of the request. */
export const RevokedSessions = z.object({ revoked: z.int().nonnegative() })
export type RevokedSessions = z.infer<typeof RevokedSessions>
