import type { DeploymentManifest, DeployResponse, FieldErrors } from '@svc/contract'
import type { Deps } from '../deps.ts'
import { invalid, unauthorized } from '../errors.ts'
import type { RuntimeIdentity } from '../runtimes/runtimes.ts'
import { countFault, namedFaults, placedSchemas, removalWarnings } from './rules.ts'
import { findDeployment, insertDeployment } from './store.ts'

/** Publishes a manifest as the runtime's next deployment, which serves from the moment this returns. */
export async function deploy(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'limits' | 'schemas'>,
  runtime: RuntimeIdentity,
  manifest: DeploymentManifest,
): Promise<DeployResponse> {
  const faults = await manifestFaults(deps, runtime, manifest)
  if (faults) throw invalid(faults)
  const stored = await insertDeployment(deps.db, runtime.ownerId, {
    deploymentId: deps.newId('deployment'),
    runtimeId: runtime.runtimeId,
    manifest,
    deployedAt: deps.clock.now(),
  })
  if (!stored) throw unauthorized()
  const { ownerId, runtimeId } = runtime
  // Read after the transaction, which others wait for: a manifest has up to a megabyte.
  const replaced = stored.replaced === null ? null : await findDeployment(deps.db, ownerId, runtimeId, stored.replaced)
  return {
    version: stored.version,
    status: 'active',
    capabilities: manifest.capabilities.map(({ name, actions }) => ({
      name,
      hasInputSchema: actions[0]?.inputSchema !== undefined,
    })),
    warnings: removalWarnings(replaced?.manifest.capabilities ?? [], manifest.capabilities),
  }
}

async function manifestFaults(
  { limits, schemas }: Pick<Deps, 'limits' | 'schemas'>,
  { ownerId }: RuntimeIdentity,
  manifest: DeploymentManifest,
): Promise<FieldErrors | null> {
  const { capabilities } = manifest
  const tooMany = countFault(capabilities, limits)
  if (tooMany) return tooMany
  const placed = placedSchemas(capabilities, limits)
  const fit = placed.filter(({ problem }) => problem === null)
  const judged = await schemas.judge(
    ownerId,
    fit.map(({ text }) => text),
  )
  const problems = new Map(fit.map(({ path }, index) => [path, judged[index] ?? null]))
  return namedFaults(
    placed.map((schema) => ({ ...schema, problem: schema.problem ?? problems.get(schema.path) ?? null })),
  )
}
