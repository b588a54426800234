import type { DeploymentManifest, DeployResponse } from '@svc/contract'
import type { Deps } from '../deps.ts'
import { invalid, unauthorized } from '../errors.ts'
import type { RuntimeIdentity } from '../runtimes/runtimes.ts'
import { manifestFaults, removalWarnings } from './rules.ts'
import { insertDeployment } from './store.ts'

/** Publishes a manifest as the runtime's next deployment, which serves from the moment this returns. */
export async function deploy(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'limits'>,
  runtime: RuntimeIdentity,
  manifest: DeploymentManifest,
): Promise<DeployResponse> {
  const faults = manifestFaults(manifest.capabilities, deps.limits)
  if (faults) throw invalid(faults)
  const stored = await insertDeployment(deps.db, runtime.ownerId, {
    deploymentId: deps.newId('deployment'),
    runtimeId: runtime.runtimeId,
    manifest,
    deployedAt: deps.clock.now(),
  })
  if (!stored) throw unauthorized()
  return {
    version: stored.version,
    status: 'active',
    capabilities: manifest.capabilities.map(({ name, actions }) => ({
      name,
      hasInputSchema: actions[0]?.inputSchema !== undefined,
    })),
    warnings: removalWarnings(stored.replaced?.manifest.capabilities ?? [], manifest.capabilities),
  }
}
