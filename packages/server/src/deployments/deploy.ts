import * as contract from '@svc/contract'
import { invalid, invalidField, unauthorized } from '../errors.ts'
import { Stop } from '../lib/stop-signal.ts'
import { ownAddressProblem } from '../runtimes/rules.ts'
import type { RuntimeIdentity } from '../runtimes/runtimes.ts'
import type { DeploymentDeps } from './deps.ts'
import { hourlyLimit, shareCheck } from './promote.ts'
import { namedFaults, placedSchemas } from './rules.ts'
import { insertDeployment, readDeploymentBucket, toDeployment } from './store.ts'

/** Stores a manifest as the runtime's next deployment. Stable or candidate, it serves from the moment this returns. */
export async function deploy(
  deps: DeploymentDeps,
  { ownerId, runtimeId }: RuntimeIdentity,
  { manifest, promote, traffic: share, source, deployedBy }: contract.DeployRequest & { deployedBy: string },
): Promise<contract.DeployResponse> {
  deps.diskSpace.require()
  const { capabilities, endpoint, endUsers } = manifest
  const addresses = { endpoint, 'endUsers.issuer': endUsers?.issuer, 'endUsers.jwksUri': endUsers?.jwksUri }
  for (const [field, address] of Object.entries(addresses)) {
    const problem = address === undefined ? null : ownAddressProblem(address, deps.ownUrls())
    if (problem) throw invalidField(`manifest.${field}`, problem)
  }
  const { deploymentsKept: keep } = deps.limits
  const takeDeployment = hourlyLimit(deps, 'This runtime has been deployed as often as it may be within an hour.')
  // Refuses before the schemas are checked, which takes long; the transaction decides.
  takeDeployment(await readDeploymentBucket(deps.db, ownerId, runtimeId))
  const faults = await manifestFaults(deps, ownerId, manifest)
  if (faults) throw invalid(faults)
  // Sets `last_used_at` of the deployments of all ended executions, by which the surplus is deleted.
  await deps.aggregation.catchUp()
  const row = {
    owner_id: ownerId,
    runtime_id: runtimeId,
    deployment_id: deps.newId('deployment'),
    manifest: JSON.stringify(manifest),
    capability_count: capabilities.length,
    deployed_at: deps.clock.now(),
    source: source ? JSON.stringify(source) : null,
    deployed_by: deployedBy,
  }
  const traffic = share ?? (promote === false ? 0 : null)
  const options = { endpoint, traffic, requireShare: shareCheck(traffic), takeDeployment, keep }
  const stored = await insertDeployment(deps.db, row, { ...options, newEventId: () => deps.newId('delivery') })
  deps.diskSpace.noteWrite()
  if (!stored) throw unauthorized()
  const { version, replaced, endpointBefore } = stored
  const warnings: string[] = []
  const changes: contract.DeployResponse['changes'] = []
  if (replaced) {
    const compare = () => {
      const before = { ...toDeployment(replaced).manifest, endpoint: endpointBefore }
      warnings.push(...contract.removalWarnings(before, manifest))
      changes.push(...contract.compareDeployments(before, manifest))
    }
    // Large manifests take a tenth of a second of the event loop. The deployment is stored: nothing may stop the wait.
    await deps.synchronousWork.run(ownerId, compare, new Stop())
  }
  const hasNoEndpoint = (endpoint ?? endpointBefore) === null && capabilities.length > 0
  if (hasNoEndpoint) warnings.push(contract.NO_ENDPOINT_WARNING)
  return {
    version,
    status: traffic === null ? 'active' : 'candidate',
    capabilities: capabilities.map(({ name, actions }) => ({
      name,
      hasInputSchema: actions[0]?.inputSchema !== undefined,
    })),
    warnings,
    changes,
  }
}

async function manifestFaults(
  { limits, schemas }: DeploymentDeps,
  ownerId: string,
  { capabilities }: contract.DeploymentManifest,
): Promise<contract.FieldErrors | null> {
  const { length } = capabilities
  if (length > limits.capabilities) {
    return { 'manifest.capabilities': [`holds ${length} capabilities, at most ${limits.capabilities} are accepted.`] }
  }
  const placed = placedSchemas(capabilities, limits)
  const texts = placed.flatMap(({ text, problem }) => (problem === null ? [text] : []))
  const judged = await schemas.judge(ownerId, texts)
  return namedFaults(placed.map((schema) => ({ ...schema, problem: schema.problem ?? judged.shift() ?? null })))
}
