import {
  type Capability,
  DeploymentManifest,
  fieldErrorsOf,
  MANIFEST_SCHEMA_VERSION,
  type SvcSettings,
} from '@svc/contract'
import { projectFailure } from '../failures.ts'
import { fieldLines } from '../terminal/field-lines.ts'
import { CLI_VERSION } from '../version.ts'
import { nameCapabilities } from './name-capabilities.ts'

type Parts = { config: SvcSettings; capabilities: readonly Capability[]; sdkVersion: string | null }

/** The deployment manifest, checked in the very form that travels: as JSON. */
export function compileManifest({ config, capabilities, sdkVersion }: Parts): DeploymentManifest {
  const manifest = {
    schemaVersion: MANIFEST_SCHEMA_VERSION,
    capabilities: capabilities.map(throughJson),
    runtime: sdkVersion === null ? {} : { sdkVersion },
    endpoint: config.endpoint,
    website: config.website,
    adp: config.adp,
    agent: config.agent,
    metadata: { cliVersion: CLI_VERSION },
  }
  const parsed = DeploymentManifest.safeParse(manifest)
  if (parsed.success) return parsed.data
  const faults = nameCapabilities(fieldErrorsOf(parsed.error, 'manifest'), capabilities)
  throw projectFailure('The project’s capabilities cannot be published as they are.', fieldLines(faults))
}

// A schema written by hand may hold what JSON cannot: a function, a bigint, a reference to itself.
function throughJson(capability: Capability): unknown {
  try {
    return JSON.parse(JSON.stringify(capability))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw projectFailure(`The schemas of “${capability.name}” cannot be written as JSON.`, [reason], error)
  }
}
