import {
  compareDeployments,
  type DeploymentManifest,
  type DeployResponse,
  type FieldErrors,
  NO_ENDPOINT_WARNING,
  removalWarnings,
} from '@svc/contract'
import type { Deps } from '../deps.ts'
import { invalid, invalidField, limited, unauthorized } from '../errors.ts'
import { Stop } from '../lib/stop-signal.ts'
import { ownAddressProblem } from '../runtimes/rules.ts'
import type { RuntimeIdentity } from '../runtimes/runtimes.ts'
import { countFault, namedFaults, placedSchemas } from './rules.ts'
import { type DeploymentRow, deploymentWaitMs, insertDeployment, toDeployment } from './store.ts'

/** Publishes a manifest as the runtime's next deployment, which serves from the moment this returns. */
export async function deploy(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'limits' | 'schemas' | 'folding' | 'room' | 'ownUrls' | 'loopShare'>,
  runtime: RuntimeIdentity,
  manifest: DeploymentManifest,
): Promise<DeployResponse> {
  deps.room.require()
  const { endpoint } = manifest
  const problem = endpoint === undefined ? null : ownAddressProblem(endpoint, deps.ownUrls())
  if (problem) throw invalidField('manifest.endpoint', problem)
  const { deploymentsPerHour: perHour, deploymentsKept: keep } = deps.limits
  const now = deps.clock.now()
  // Schemas are not judged for a deployment that would be refused; whether it is accepted is decided where it is stored.
  const waitMs = await deploymentWaitMs(deps.db, runtime.ownerId, { runtimeId: runtime.runtimeId, perHour, now })
  if (waitMs > 0) throw limited(TOO_MANY, waitMs)
  const faults = await manifestFaults(deps, runtime, manifest)
  if (faults) throw invalid(faults)
  // So that every execution that has ended is known to name its deployment.
  await deps.folding.catchUp()
  const stored = await insertDeployment(
    deps.db,
    runtime.ownerId,
    { deploymentId: deps.newId('deployment'), runtimeId: runtime.runtimeId, manifest, deployedAt: deps.clock.now() },
    { perHour, keep },
  )
  deps.room.noteWrite()
  if (stored.outcome === 'gone') throw unauthorized()
  if (stored.outcome === 'limited') throw limited(TOO_MANY, stored.retryAfterMs)
  const { replaced, endpoints } = stored
  let compared: Compared = { warnings: [], changes: [] }
  const compare = (row: DeploymentRow) => {
    const before = { ...toDeployment(row).manifest, endpoint: endpoints.before }
    compared = { warnings: removalWarnings(before, manifest), changes: compareDeployments(before, manifest) }
  }
  // Large manifests take the event loop for a tenth of a second. The deployment stands: nothing may end the wait.
  if (replaced) await deps.loopShare.run(runtime.ownerId, () => compare(replaced), new Stop())
  return {
    version: stored.version,
    status: 'active',
    capabilities: manifest.capabilities.map(({ name, actions }) => ({
      name,
      hasInputSchema: actions[0]?.inputSchema !== undefined,
    })),
    warnings: [
      ...compared.warnings,
      ...(endpoints.after === null && manifest.capabilities.length > 0 ? [NO_ENDPOINT_WARNING] : []),
    ],
    changes: compared.changes,
  }
}

type Compared = Pick<DeployResponse, 'warnings' | 'changes'>

const TOO_MANY = 'This runtime has been deployed as often as it may be within an hour.'

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
