import type { DeploymentManifest, GeneratorContext } from '@svc/contract'
import { CLI_VERSION } from '../version.ts'
import type { KnownRuntime } from './known-runtime.ts'

type Parts = {
  readonly manifest: DeploymentManifest
  readonly sdkVersion: string | null
  readonly baseUrl: string
  readonly runtime: KnownRuntime
}

/** What generators are given. It is frozen to its depths: what is deployed is not for a generator to change. */
export function generatorContext({ manifest, sdkVersion, baseUrl, runtime }: Parts): GeneratorContext {
  return frozen({
    capabilities: manifest.capabilities,
    manifest,
    runtimeId: runtime.runtimeId,
    runtimeName: runtime.name,
    baseUrl: runtime.publicUrl ?? baseUrl,
    cliVersion: CLI_VERSION,
    sdkVersion,
  })
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(Object.freeze(value))) frozen(member)
  return value
}
