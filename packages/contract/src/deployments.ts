import * as z from 'zod'
import type { DeploymentChange } from './compare-deployments.ts'
import { CapabilityEffect, UnknownCalls } from './effects.ts'
import { EndUsers } from './end-users.ts'
import { JsonObject, Timestamp } from './json.ts'
import { CapabilityName, Namespace, SemVer } from './names.ts'
import { Endpoint, WebUrl } from './web-addresses.ts'

/** The version of the deployment manifest’s own format. */
export const MANIFEST_SCHEMA_VERSION = 2

/**
 * What a control plane accepts of a deployment, unless its operator sets it otherwise: sizes in bytes of JSON as UTF-8,
 * `jsonDepth` in levels of objects and lists, `jsonValues` as the number of values in the request’s body.
 */
export const DEPLOYMENT_LIMITS = {
  bodyBytes: 1024 * 1024,
  jsonDepth: 32,
  jsonValues: 50_000,
  capabilities: 128,
  schemaBytes: 64 * 1024,
} as const

/**
 * How a capability is called: its input and output as JSON Schema (2020-12, or draft-07 where `$schema` says so). Description
 * and permissions are the owner’s to read: they are stored and shown, and neither published nor enforced by the service.
 */
export const CapabilityAction = z.strictObject({
  name: z.string().min(1).max(128),
  description: z.string().max(8192).optional(),
  permissions: z.array(z.string().min(1).max(200)).max(100).optional(),
  inputSchema: JsonObject.optional(),
  outputSchema: JsonObject.optional(),
})

/**
 * One capability of a deployment. It has at most one action. `confirm`: a person approves each call before it runs.
 * `preview`: the endpoint answers calls with `mode: "preview"`.
 */
export const Capability = z
  .strictObject({
    name: CapabilityName,
    version: SemVer,
    description: z.string().max(8192).default(''),
    requiresEndUser: z.boolean().default(false),
    actions: z.array(CapabilityAction).max(1, 'accepts at most one action: split the capability.').default([]),
    deprecated: z.boolean().optional(),
    deprecatedSince: SemVer.optional(),
    removalNotBefore: SemVer.optional(),
    metadata: JsonObject.optional(),
    effect: CapabilityEffect.optional().describe('Default `write`.'),
    confirm: z.boolean().optional(),
    preview: z.boolean().optional(),
  })
  .superRefine(refuseUndatedDeprecation)
export type Capability = z.infer<typeof Capability>

const HexColor = z
  .string()
  .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, 'must be a colour such as #1f4fd8.')
  .meta({ examples: ['#1f4fd8'] })

export const Website = z.strictObject({
  name: z.string().min(1).max(200),
  description: z.string().max(2000).optional(),
  url: WebUrl.optional(),
  contact: z.string().max(500).optional(),
  color: HexColor.optional().describe('The accent of its chat, `#rgb` or `#rrggbb`.'),
})
export type Website = z.infer<typeof Website>

export const Adp = z.strictObject({ namespace: Namespace, id: z.string().min(1).max(500).optional() })
export type Adp = z.infer<typeof Adp>

const AgentLimit = z.int().positive('must be above zero.').optional()

/**
 * The owner’s own system prompt for the agent loop, and bounds of one execution that are lower than the service’s: steps
 * are model calls, tokens are input and output together. Higher ones count as the service’s.
 */
export const Agent = z.strictObject({
  instructions: z.string().max(32_768).optional(),
  limits: z.strictObject({ steps: AgentLimit, tokens: AgentLimit }).optional(),
})

/**
 * Everything that a deployment publishes. It replaces the manifest before it as a whole. `reconcile`: the endpoint answers
 * calls with `mode: "reconcile"`.
 */
export const DeploymentManifest = z.strictObject({
  schemaVersion: z.literal(MANIFEST_SCHEMA_VERSION, `must be ${MANIFEST_SCHEMA_VERSION}.`),
  capabilities: z.array(Capability).superRefine(refuseRepeatedNames),
  runtime: z.strictObject({ sdkVersion: z.string().max(64).optional() }).optional(),
  endpoint: Endpoint.optional(),
  website: Website.optional(),
  adp: Adp.optional(),
  agent: Agent.optional(),
  endUsers: EndUsers.optional(),
  metadata: JsonObject.optional(),
  reconcile: z.boolean().optional(),
})
export type DeploymentManifest = z.infer<typeof DeploymentManifest>
/** A deployment manifest as it may be written, before defaults are filled in. */
export type DeploymentManifestInput = z.input<typeof DeploymentManifest>

const TRAFFIC = 'must be a whole number of percent, from 0 to 100.'

/** The share of the executions that a candidate serves, in percent. */
const TrafficShare = z.int(TRAFFIC).min(0, TRAFFIC).max(100, TRAFFIC)

/** What the files of a deployment are in git. */
const SOURCE = {
  author: z.string().trim().min(1).max(200).optional().describe('Who wrote the commit.'),
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, 'must be the hash of a commit: 7 to 64 characters of 0-9 and a-f.')
    .optional()
    .meta({ examples: ['1f0c7ab2'] }),
  dirty: z.boolean().optional().describe('Whether files differed from the commit.'),
}
const GivenSource = z.strictObject(SOURCE)
export const DeploymentSource = z.object(SOURCE)
export type DeploymentSource = z.infer<typeof DeploymentSource>

/** Body of `POST /v1/deployments`. Without `promote` and `traffic` the deployment serves at once. */
export const DeployRequest = z
  .strictObject({
    manifest: DeploymentManifest,
    promote: z.boolean().optional().describe('`false` makes a candidate, which serves nobody yet.'),
    traffic: TrafficShare.optional().describe(
      'Makes a candidate that serves this share of the executions, in percent.',
    ),
    source: GivenSource.optional().describe('Shown beside the deployment.'),
  })
  .refine(({ promote, traffic }) => promote !== true || traffic === undefined, {
    path: ['traffic'],
    error: 'cannot stand beside “promote: true”: a promoted deployment serves everything.',
  })
export type DeployRequest = z.infer<typeof DeployRequest>

/** One difference between two deployments; see `compareDeployments`. */
const Change: z.ZodType<DeploymentChange> = z.object({
  of: z.enum(['capability', 'setting']),
  name: z.string().describe('The capability’s name, or the setting’s, dotted.'),
  kind: z.enum(['added', 'removed', 'changed']),
  breaking: z.boolean().describe('Whether callers of the former deployment may fail with the later one.'),
  text: z.string().describe('`added`, `removed`, or what changed, such as `party.size maximum 20 → 12`.'),
})

export const DeployResponse = z.object({
  version: z.int().positive(),
  status: z.enum(['active', 'candidate']),
  capabilities: z.array(z.object({ name: z.string(), hasInputSchema: z.boolean() })),
  warnings: z.array(z.string()),
  changes: z
    .array(Change)
    .default([])
    .describe('What differs from the deployment that it replaces; empty where nothing does, and for the first one.'),
})
export type DeployResponse = z.infer<typeof DeployResponse>

/**
 * A deployment is stable while it is `active`; a `candidate` may serve a share of the executions beside it. All others are
 * `superseded`, until one is promoted.
 */
export const DeploymentStatus = z.enum(['active', 'candidate', 'superseded'])
export type DeploymentStatus = z.infer<typeof DeploymentStatus>

/** Body of `POST /v1/deployments/<version>/promote`; it may be absent. */
export const PromoteRequest = z
  .strictObject({
    traffic: TrafficShare.optional().describe(
      'Makes it the candidate, with this share in percent. Left out: it becomes stable.',
    ),
  })
  .optional()
export type PromoteRequest = z.infer<typeof PromoteRequest>

export const PromotedDeployment = z.object({
  version: z.int().positive(),
  status: z.enum(['active', 'candidate']),
})
export type PromotedDeployment = z.infer<typeof PromotedDeployment>

/** Why and when a candidate was stopped; it serves nobody until it is given a new share. */
export const Frozen = z.object({ reason: z.string(), at: Timestamp })
export type Frozen = z.infer<typeof Frozen>

const Traffic = z.int().min(0).max(100).describe('Percent of the executions that go by the split.')

/** One row of a runtime's deployments. */
export const DeploymentListItem = z.object({
  version: z.int().positive(),
  status: DeploymentStatus,
  deployedAt: Timestamp,
  capabilityCount: z.int().nonnegative(),
  // Older services leave them out.
  traffic: Traffic.default(0),
  frozen: Frozen.nullable().default(null).describe('Of a candidate that failed more often than the stable deployment.'),
  source: DeploymentSource.nullable().default(null).describe('As it was sent; null where nothing was.'),
  deployedBy: z.string().nullable().default(null).describe('The deploy key that sent it, abbreviated.'),
})
export type DeploymentListItem = z.infer<typeof DeploymentListItem>

/** Answer of `GET /v1/runtimes/<runtime_id>/deployments`, newest first. */
export const DeploymentList = z.object({
  deployments: z.array(DeploymentListItem),
  nextCursor: z.string().nullable(),
})
export type DeploymentList = z.infer<typeof DeploymentList>

/**
 * Answer of `GET /v1/runtimes/<runtime_id>/deployments/<version>`, and of `GET /v1/runtime/deployment` for the serving one: the
 * manifest as it was deployed.
 */
export const DeploymentDetail = DeploymentListItem.extend({ manifest: DeploymentManifest })
export type DeploymentDetail = z.infer<typeof DeploymentDetail>

const Count = z.int().nonnegative()

/** The ended executions of one deployment since the candidate’s share was set. */
export const TrafficCounts = z.object({
  executions: Count,
  bad: Count.describe(
    'Executions that failed, and those with a capability call that failed or whose outcome is unknown.',
  ),
  failed: Count.describe('Executions that failed.'),
  inputTokens: Count,
  outputTokens: Count,
  p50DurationMs: z.number().nullable(),
  p95DurationMs: z.number().nullable(),
})
export type TrafficCounts = z.infer<typeof TrafficCounts>

/** Answer of `GET /v1/runtimes/<runtime_id>/traffic`. */
export const TrafficReport = z.object({
  stable: z
    .object({ version: z.int().positive(), traffic: Traffic, counts: TrafficCounts.nullable() })
    .nullable()
    .describe('Null before the first promotion. `counts` is null without a candidate.'),
  candidate: z
    .object({ version: z.int().positive(), traffic: Traffic, frozen: Frozen.nullable(), counts: TrafficCounts })
    .nullable(),
  since: Timestamp.nullable().describe('When the candidate got its share: counts begin there.'),
  previousVersion: z
    .int()
    .positive()
    .nullable()
    .describe('The older deployment that a rollback without a number makes stable again. Null where there is none.'),
})
export type TrafficReport = z.infer<typeof TrafficReport>

export const ConnectionStatus = z
  .enum(['pending', 'online', 'offline'])
  .describe('`pending` before the first check-in; `online` for 5 minutes after one or after a call that worked.')
export type ConnectionStatus = z.infer<typeof ConnectionStatus>

export const Connection = z.object({ status: ConnectionStatus, transport: z.literal('http') })
export type Connection = z.infer<typeof Connection>

export const Health = z
  .enum(['unknown', 'healthy', 'degraded', 'unreachable'])
  .describe(
    'Of the endpoint, by the last 20 calls and probes within 15 minutes. `unknown`: there were none. `degraded`: the last one failed on its way, or a fifth of them did. `unreachable`: the last three did, or calls are held back. A check-in changes nothing of it.',
  )
export type Health = z.infer<typeof Health>

export const HealthNote = z
  .string()
  .nullable()
  .describe('What the last calls and probes say that the owner can mend, in words; null where there is nothing.')

/** A deprecated capability: the deployment announces that it will be removed. */
const AnnouncedDeprecation = z.object({
  name: z.string(),
  deprecatedSince: SemVer,
  removalNotBefore: SemVer.nullable(),
})

/** A capability whose effect is not the default, or whose calls a person approves. */
const NotedEffect = z.object({ name: z.string(), effect: CapabilityEffect, confirm: z.boolean() })

/**
 * Answer of `GET /v1/runtime/status`. `name` is the registered one, `baseUrl` the address that manifests
 * publish, without a slash at its end; `deprecated` names what is marked so.
 */
export const RuntimeStatus = z.object({
  runtimeId: z.string(),
  // Older services leave them out.
  name: z.string().optional(),
  baseUrl: z.string().optional(),
  endpoint: z.string().nullish().describe('Null where there is none: capabilities cannot be called then.'),
  deployment: z.object({ version: z.int().positive(), status: DeploymentStatus, deployedAt: Timestamp }).nullable(),
  candidate: z
    .object({ version: z.int().positive(), traffic: Traffic, frozen: Frozen.nullable() })
    .nullable()
    .default(null)
    .describe('A deployment that serves a share of the executions beside the stable one.'),
  capabilities: z.array(z.string()),
  deprecated: z.array(AnnouncedDeprecation).default([]),
  effects: z
    .array(NotedEffect)
    .default([])
    .describe('The capabilities whose `effect` is not `write`, or whose calls a person approves.'),
  unknownCalls: UnknownCalls.default(0).describe('Of the executions that began within the last 24 hours.'),
  waitingApprovals: z.int().nonnegative().default(0).describe('Calls of the runtime that wait for a person.'),
  connection: Connection,
  health: Health,
  // Older services leave it out.
  healthNote: HealthNote.optional(),
  provider: z.object({ name: z.string(), model: z.string() }),
})
export type RuntimeStatus = z.infer<typeof RuntimeStatus>

/** Answer of `POST /v1/runtime/heartbeat`. */
export const Heartbeat = z.object({ status: z.literal('ok'), lastSeenAt: Timestamp })
export type Heartbeat = z.infer<typeof Heartbeat>

type Announced = { name: string; deprecated?: boolean | undefined; deprecatedSince?: string | undefined }

function refuseUndatedDeprecation(capability: Announced, context: z.RefinementCtx): void {
  if (!capability.deprecated || capability.deprecatedSince) return
  context.addIssue({
    code: 'custom',
    path: ['deprecatedSince'],
    message: `is required when “${capability.name}” is deprecated: name the version that deprecated it.`,
  })
}

function refuseRepeatedNames(capabilities: readonly { name: string }[], context: z.RefinementCtx): void {
  const first = new Map<string, string>()
  for (const [index, { name }] of capabilities.entries()) {
    const earlier = first.get(name.toLowerCase())
    first.set(name.toLowerCase(), earlier ?? name)
    if (earlier === undefined) continue
    context.addIssue({
      code: 'custom',
      path: [index, 'name'],
      message: `“${name}” repeats “${earlier}”: names must differ by more than upper and lower case.`,
    })
  }
}
