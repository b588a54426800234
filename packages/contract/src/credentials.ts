import * as z from 'zod'
import { Timestamp } from './json.ts'
import { Role } from './roles.ts'

/** Which of a runtime’s two keys is meant. */
export const RuntimeKeyType = z.enum(['deploy', 'public'])
export type RuntimeKeyType = z.infer<typeof RuntimeKeyType>

const GRACE = 'must be a whole number of seconds from 0 to 604800 (7 days).'

/** How long what is replaced goes on working, in seconds. A leaked one deserves 0. */
const GraceSeconds = z.int(GRACE).min(0, GRACE).max(604_800, GRACE)

/** How long what is replaced goes on working where the request does not say: 24 hours. */
export const DEFAULT_GRACE_SECONDS = 86_400

/** Body of `POST /v1/runtimes/<runtime_id>/reveal-key`. */
export const RevealKeyRequest = z.strictObject({ type: RuntimeKeyType })
export type RevealKeyRequest = z.infer<typeof RevealKeyRequest>

export const RevealedKey = z.object({ type: RuntimeKeyType, key: z.string(), prefix: z.string() })
export type RevealedKey = z.infer<typeof RevealedKey>

/** Body of `POST /v1/runtimes/<runtime_id>/rotate-key`. */
export const RotateKeyRequest = z.strictObject({ type: RuntimeKeyType, graceSeconds: GraceSeconds.optional() })
export type RotateKeyRequest = z.infer<typeof RotateKeyRequest>

/** The new key. `previousKeyExpiresAt` is null where there was none to replace. */
export const RotatedKey = RevealedKey.extend({ previousKeyExpiresAt: Timestamp.nullable() })
export type RotatedKey = z.infer<typeof RotatedKey>

/** Body of `POST /v1/runtimes/<runtime_id>/revoke-key`. The current and the previous key stop at once. */
export const RevokeKeyRequest = z.strictObject({ type: RuntimeKeyType })
export type RevokeKeyRequest = z.infer<typeof RevokeKeyRequest>

export const RevokedKey = z.object({ type: RuntimeKeyType, revokedAt: Timestamp })
export type RevokedKey = z.infer<typeof RevokedKey>

/** Body of `POST /v1/runtimes/<runtime_id>/rotate-secret`; it may be absent. */
export const RotateSecretRequest = z.strictObject({ graceSeconds: GraceSeconds.optional() })
export type RotateSecretRequest = z.infer<typeof RotateSecretRequest>

/** The new signing secret, shown this once. */
export const RotatedSecret = z.object({ secret: z.string(), previousSecretExpiresAt: Timestamp.nullable() })
export type RotatedSecret = z.infer<typeof RotatedSecret>

/** Body of `POST /v1/account/keys`. */
export const CreateAccountKeyRequest = z.strictObject({
  name: z.string().trim().min(1).max(100),
  role: Role.optional().describe('Default: `owner`.'),
})
export type CreateAccountKeyRequest = z.infer<typeof CreateAccountKeyRequest>

/** An API key of the account, abbreviated: the whole key is shown when it is made and never again. */
export const AccountKey = z.object({
  keyId: z.string(),
  name: z.string(),
  prefix: z.string(),
  role: Role,
  member: z
    .string()
    .nullable()
    .describe('The address of the member whose `svc login` made it: it has their role. Null for a key of the account.'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe('To the minute; null where it was not used yet.'),
  revokedAt: Timestamp.nullable(),
})
export type AccountKey = z.infer<typeof AccountKey>

export const CreatedAccountKey = AccountKey.extend({ key: z.string() })
export type CreatedAccountKey = z.infer<typeof CreatedAccountKey>

export const AccountKeyList = z.object({ keys: z.array(AccountKey), nextCursor: z.string().nullable() })
export type AccountKeyList = z.infer<typeof AccountKeyList>
