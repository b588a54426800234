import * as z from 'zod'
import { Adp, Connection, Health, HealthNote, Website } from './deployments.ts'
import { CapabilityEffect } from './effects.ts'
import { EndUsers } from './end-users.ts'
import { RuntimeId } from './ids.ts'
import { Timestamp } from './json.ts'
import { Endpoint, OriginText, originProblem } from './web-addresses.ts'

export const Tier = z
  .enum(['free', 'pro', 'enterprise'])
  .describe('The plan of the account. It follows from billing, never from a request.')
export type Tier = z.infer<typeof Tier>

/** Body of `POST /v1/runtimes`. Registering an id again updates it; what is left out then stays as it was. */
export const RegisterRuntimeRequest = z.strictObject({
  runtimeId: RuntimeId.optional(),
  name: z.string().trim().min(1).max(100),
  version: z.string().min(1).max(64).optional(),
  projectId: z.string().optional(),
  endpoint: Endpoint.optional(),
})
export type RegisterRuntimeRequest = z.infer<typeof RegisterRuntimeRequest>

const RegisteredRuntime = z.object({
  runtimeId: z.string(),
  projectId: z.string(),
  tier: Tier,
  deployKeyPrefix: z.string().nullable(),
  publicKeyPrefix: z.string().nullable(),
})

/** Answer to a registration that updated a runtime: its keys and its secret stay what they were and are not shown. */
export const UpdatedRuntime = RegisteredRuntime.describe('Its keys and its secret stay as they were: neither is shown.')
export type UpdatedRuntime = z.infer<typeof UpdatedRuntime>

/** Answer to a registration that made a runtime: the one time that its secret is shown. */
export const CreatedRuntime = RegisteredRuntime.extend({
  secret: z.string(),
  deployKey: z.string(),
  publicKey: z.string(),
}).describe('The one time that the signing secret is shown. The two keys can be revealed later.')
export type CreatedRuntime = z.infer<typeof CreatedRuntime>

export const RuntimeListItem = z.object({
  runtimeId: z.string(),
  name: z.string(),
  version: z.string(),
  projectId: z.string(),
  endpoint: z.string().nullable(),
  connection: Connection,
  health: Health,
  deployment: z.object({ version: z.int().positive(), deployedAt: Timestamp }).nullable(),
  capabilityCount: z.int().nonnegative(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type RuntimeListItem = z.infer<typeof RuntimeListItem>

export const RuntimeList = z.object({ runtimes: z.array(RuntimeListItem), nextCursor: z.string().nullable() })
export type RuntimeList = z.infer<typeof RuntimeList>

export const RuntimeDetail = RuntimeListItem.extend({
  healthNote: HealthNote,
  tier: Tier,
  capabilities: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      description: z.string(),
      requiresEndUser: z.boolean(),
      deprecated: z.boolean(),
      hasInputSchema: z.boolean(),
      effect: CapabilityEffect,
      confirm: z.boolean().describe('Whether a person approves each call before it runs.'),
    }),
  ),
  allowedOrigins: z.array(z.string()),
  deployKeyPrefix: z.string().nullable(),
  publicKeyPrefix: z.string().nullable(),
  // When the grace periods of replaced keys and secrets end; null where none runs.
  previousDeployKeyExpiresAt: Timestamp.nullable(),
  previousPublicKeyExpiresAt: Timestamp.nullable(),
  previousSecretExpiresAt: Timestamp.nullable(),
  lastSeenAt: Timestamp.nullable(),
  website: Website.nullable(),
  adp: Adp.nullable(),
  endUsers: EndUsers.nullable().describe('Who signs the end users of its MCP server in; null where nobody does.'),
})
export type RuntimeDetail = z.infer<typeof RuntimeDetail>

/** Body of `PUT /v1/runtimes/<runtime_id>/allowed-origins`. An empty list means unrestricted. */
export const AllowedOriginsRequest = z.strictObject({
  // Faults of entries are reported under `origins`, not `origins.0`; each message names its entry.
  origins: z
    .array(OriginText)
    .max(50, 'accepts at most 50 origins.')
    .superRefine((origins, context) => {
      for (const origin of origins) {
        const problem = originProblem(origin)
        if (problem) context.addIssue({ code: 'custom', message: problem })
      }
    }),
})
export type AllowedOriginsRequest = z.infer<typeof AllowedOriginsRequest>

export const AllowedOrigins = z.object({ runtimeId: z.string(), allowedOrigins: z.array(z.string()) })
export type AllowedOrigins = z.infer<typeof AllowedOrigins>
