import type { JsonObject, Tier, Website } from '@svc/contract'
import { type Adp, type Capability, type CapabilityEffect, DEFAULT_EFFECT, type EndUsers } from '@svc/contract'
import { z } from 'zod'
import type { Deployment } from '../deployments/store.ts'
import { suggestionsFor } from '../deployments/suggestion-rules.ts'
import type { ModelTool } from '../model/model.ts'
import type { InputCheck } from '../schemas/schemas.ts'
import { sealedIn } from '../secrets/keyring.ts'
import type { Secret } from '../secrets/secret.ts'
import type { RuntimeDeps } from './deps.ts'
import { findRuntimeById, type RuntimeView } from './store.ts'

/** A capability of the serving deployment, ready to be called. */
export interface ServingCapability {
  name: string
  requiresEndUser: boolean
  effect: CapabilityEffect
  /** Whether a person approves each call before it runs. */
  confirm: boolean
  /** Whether the endpoint tells what a call would do. */
  preview: boolean
  description: string
  outputSchema: JsonObject | null
  checkInput: InputCheck
}

/** A stored deployment, ready to serve. */
export interface ServingDeployment {
  version: number
  /** Bytes of its manifest, as JSON text. */
  bytes: number
  /** By name. A Map, because names come from callers and models. */
  capabilities: ReadonlyMap<string, ServingCapability>
  tools: readonly ModelTool[]
  website: Website | null
  /** What an end user may say first. */
  suggestions: string[]
  adp: Adp | null
  instructions: string | null
  /** The issuer that signs its end users in. */
  endUsers: EndUsers | null
  /** Whether the endpoint tells what became of a call. */
  reconcile: boolean
  /** The address that its manifest names. */
  endpoint: string | null
  /** Limits of the owner, below those of the service. */
  agentLimits: { steps?: number | undefined; tokens?: number | undefined }
}

export interface SigningSecrets {
  current: Secret
  previous: { secret: Secret; expiresAt: number } | null
}

/** A runtime as calls need it, at one `revision`. */
export interface ServingRuntime {
  ownerId: string
  tier: Tier
  runtimeId: string
  projectId: string
  revision: number
  endpoint: string | null
  allowedOrigins: readonly string[]
  secrets: SigningSecrets
  deployment: ServingDeployment | null
  candidate: ServingCandidate | null
}

/** A deployment that serves a share of the executions beside the stable one. */
export interface ServingCandidate {
  /** Percent. */
  traffic: number
  /** When the share was set, which names it in the usage journal. */
  since: number
  /** The runtime as the candidate serves it. */
  runtime: ServingRuntime
}

const Origins = z.array(z.string())

/** By runtime. A signing secret keeps its context when it becomes the previous one. */
export const secretContext = sealedIn('runtimes', 'secret_sealed')

type SecretDeps = Pick<RuntimeDeps, 'keyring' | 'clock'>
type Sealed = 'runtime_id' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_expires_at'

/** A runtime's secrets. An expired previous one is not opened: its master key may be gone from the keyring. */
export function openSecrets({ keyring, clock }: SecretDeps, row: Pick<RuntimeView, Sealed>): SigningSecrets {
  const context = secretContext(row.runtime_id)
  const { previous_secret_sealed: previous, previous_secret_expires_at: expiresAt } = row
  const isInGrace = previous !== null && expiresAt !== null && expiresAt > clock.now()
  return {
    current: keyring.open(row.secret_sealed, context),
    previous: isInGrace ? { secret: keyring.open(previous, context), expiresAt } : null,
  }
}

/** The runtime's present secrets, for an execution that began before they were rotated; null when the runtime is gone. */
export async function readSecrets(
  deps: SecretDeps & Pick<RuntimeDeps, 'db'>,
  runtimeId: string,
): Promise<SigningSecrets | null> {
  const row = await findRuntimeById(deps.db, runtimeId)
  return row && openSecrets(deps, row)
}

export function toServingRuntime(
  deps: SecretDeps,
  row: RuntimeView,
  { stable, candidate }: { stable: ServingDeployment | null; candidate: ServingDeployment | null },
): ServingRuntime {
  const { candidate_traffic: traffic, candidate_since: since } = row
  const runtime: ServingRuntime = {
    ownerId: row.owner_id,
    tier: row.tier,
    runtimeId: row.runtime_id,
    projectId: row.project_id,
    revision: row.revision,
    endpoint: row.endpoint,
    allowedOrigins: parseOrigins(row.allowed_origins),
    secrets: openSecrets(deps, row),
    deployment: stable,
    candidate: null,
  }
  if (candidate === null || traffic === null || since === null) return runtime
  const endpoint = row.candidate_endpoint ?? candidate.endpoint ?? runtime.endpoint
  const served = { ...runtime, deployment: candidate, endpoint }
  return { ...runtime, candidate: { traffic, since, runtime: served } }
}

export function parseOrigins(stored: string): string[] {
  return Origins.parse(JSON.parse(stored))
}

export function toServingDeployment(
  { schemas }: Pick<RuntimeDeps, 'schemas'>,
  ownerId: string,
  { version, bytes, manifest }: Deployment,
): ServingDeployment {
  const toServing = ({ name, description, requiresEndUser, actions, ...declared }: Capability): ServingCapability => {
    const { effect = DEFAULT_EFFECT, confirm = false, preview = false } = declared
    const schema = actions[0]?.inputSchema
    const checkInput = schema ? schemas.checkOf(ownerId, schema) : () => null
    const outputSchema = actions[0]?.outputSchema ?? null
    return { name, description, requiresEndUser, effect, confirm, preview, outputSchema, checkInput }
  }
  return {
    version,
    bytes,
    capabilities: new Map(manifest.capabilities.map((capability) => [capability.name, toServing(capability)])),
    tools: manifest.capabilities.map(toTool),
    website: manifest.website ?? null,
    suggestions: suggestionsFor(manifest.capabilities),
    adp: manifest.adp ?? null,
    instructions: manifest.agent?.instructions ?? null,
    endUsers: manifest.endUsers ?? null,
    reconcile: manifest.reconcile ?? false,
    endpoint: manifest.endpoint ?? null,
    agentLimits: manifest.agent?.limits ?? {},
  }
}

function toTool({ name, description, actions }: Capability): ModelTool {
  return { name, description, inputSchema: actions[0]?.inputSchema ?? null }
}

/** The runtime with its stable deployment, then, where there is one, with its candidate. */
export function sidesOf(runtime: ServingRuntime): ServingRuntime[] {
  return runtime.candidate === null ? [runtime] : [runtime, runtime.candidate.runtime]
}
