import {
  type Capability,
  DeploymentManifest,
  type FieldErrors,
  fieldErrorsOf,
  MANIFEST_SCHEMA_VERSION,
  type SvcSettings,
} from '@svc/contract'
import { invalidFields, projectFailure } from '../failures.ts'
import { messageOf } from '../thrown.ts'
import { CLI_VERSION } from '../version.ts'
import type { DeploymentLimits } from './deployment-limits.ts'
import { manifestFaults } from './manifest-faults.ts'
import { nameCapabilities } from './name-capabilities.ts'

type Parts = {
  readonly config: SvcSettings
  readonly capabilities: readonly Capability[]
  readonly sdkVersion: string | null
  /** Whether the endpoint can tell what became of a call. */
  readonly reconcile?: boolean
  readonly limits: DeploymentLimits
}

/** The deployment manifest, checked in the very form that travels, as JSON, for all that a control plane would refuse. */
export function compileManifest({ config, capabilities, sdkVersion, reconcile, limits }: Parts): DeploymentManifest {
  const manifest = {
    schemaVersion: MANIFEST_SCHEMA_VERSION,
    capabilities: capabilities.map(throughJson),
    runtime: sdkVersion === null ? {} : { sdkVersion },
    endpoint: config.endpoint,
    website: config.website,
    adp: config.adp,
    agent: config.agent,
    endUsers: config.endUsers,
    ...(reconcile && { reconcile }),
    metadata: { cliVersion: CLI_VERSION },
  }
  const parsed = DeploymentManifest.safeParse(manifest)
  const faults: FieldErrors = parsed.success
    ? manifestFaults(parsed.data, limits)
    : fieldErrorsOf(parsed.error, 'manifest')
  if (parsed.success && Object.keys(faults).length === 0) return parsed.data
  throw invalidFields(
    'The project’s capabilities cannot be published as they are.',
    nameCapabilities(faults, capabilities),
  )
}

// A schema written by hand may hold what JSON cannot: a function, a bigint, a reference to itself.
function throughJson(capability: Capability): unknown {
  try {
    return JSON.parse(JSON.stringify(capability))
  } catch (error) {
    throw projectFailure(`The schemas of “${capability.name}” cannot be written as JSON.`, [messageOf(error)], error)
  }
}
