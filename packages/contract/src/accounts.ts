import * as z from 'zod'
import { Timestamp } from './json.ts'
import { Tier } from './runtimes.ts'

const Email = z.email('must be an e-mail address.').max(254)

const LENGTH = 'must have 10 to 128 characters.'
const NewPassword = z.string().min(10, LENGTH).max(128, LENGTH)
const GivenPassword = z.string().min(1).max(128)

/** Body of `POST /v1/auth/sign-up`. */
export const SignUpRequest = z.strictObject({ email: Email, password: NewPassword })
export type SignUpRequest = z.infer<typeof SignUpRequest>

/** Body of `POST /v1/auth/sign-in`. */
export const SignInRequest = z.strictObject({ email: Email, password: GivenPassword })
export type SignInRequest = z.infer<typeof SignInRequest>

/** Body of `POST /v1/account/password`. Every other session of the account ends with it. */
export const ChangePasswordRequest = z.strictObject({ currentPassword: GivenPassword, newPassword: NewPassword })
export type ChangePasswordRequest = z.infer<typeof ChangePasswordRequest>

/** The caller of the owner plane. */
export const Account = z.object({ ownerId: z.string(), email: z.string(), tier: Tier, createdAt: Timestamp })
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

/** A session of the account. `sessionId` is not its token, and opens nothing. */
export const SessionItem = z.object({
  sessionId: z.string(),
  device: z.string().nullable().describe('Browser and system, as the sign-in named them; null where it named none.'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe('To the minute.'),
  expiresAt: Timestamp,
  isCurrent: z.boolean().describe('Whether this request came with it.'),
})
export type SessionItem = z.infer<typeof SessionItem>

/** Answer of `GET /v1/auth/sessions`: the last used first. An account has 100 at most. */
export const SessionList = z.object({ sessions: z.array(SessionItem) })
export type SessionList = z.infer<typeof SessionList>

export const RevokedSession = z.object({ sessionId: z.string() })
export type RevokedSession = z.infer<typeof RevokedSession>

/** Answer of `DELETE /v1/auth/sessions`, which revokes all but the one of the request. */
export const RevokedSessions = z.object({ revoked: z.int().nonnegative() })
export type RevokedSessions = z.infer<typeof RevokedSessions>
