import type { CreatedRuntime, RegisterRuntimeRequest, UpdatedRuntime } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { mintCredential } from '../credentials/credentials.ts'
import { forbidden, invalidField, notFound } from '../errors.ts'
import { mintRuntimeId } from '../lib/ids.ts'
import { defaultProject, requireProject } from '../projects/projects.ts'
import { mintSigningSecret } from '../secrets/mint.ts'
import type { RuntimeDeps } from './deps.ts'
import { ownAddressProblem, planLimitProblem } from './rules.ts'
import { secretContext } from './serving-runtime.ts'
import { changeRuntime, findRuntimeById, type InsertedRuntime, insertRuntime } from './store.ts'

/** Creates a runtime, or updates the owner's runtime of this id, without its secret. An id of another owner reads as absent: 404. */
export async function registerRuntime(
  deps: RuntimeDeps,
  owner: Owner,
  request: RegisterRuntimeRequest,
): Promise<CreatedRuntime | UpdatedRuntime> {
  const { endpoint, projectId, runtimeId } = request
  const problem = endpoint === undefined ? null : ownAddressProblem(endpoint, deps.ownUrls())
  if (problem) throw invalidField('endpoint', problem)
  if (projectId !== undefined) await requireProject(deps, owner, projectId)
  const existing = runtimeId === undefined ? null : await findRuntimeById(deps.db, runtimeId)
  if (existing) return update(deps, owner, existing.runtime_id, request)
  // Null: the id was registered meanwhile, and is found this time.
  return (await create(deps, owner, request)) ?? registerRuntime(deps, owner, request)
}

/** Null where the id is taken. */
async function create(deps: RuntimeDeps, { ownerId, tier }: Owner, request: RegisterRuntimeRequest) {
  deps.diskSpace.require()
  const runtimeId = request.runtimeId ?? mintRuntimeId()
  const projectId = request.projectId ?? (await defaultProject(deps, ownerId))
  const secret = mintSigningSecret()
  const deployKey = mintCredential(deps, ownerId, { kind: 'deploy', runtimeId })
  const publicKey = mintCredential(deps, ownerId, { kind: 'public', runtimeId })
  const now = deps.clock.now()
  const row = {
    owner_id: ownerId,
    runtime_id: runtimeId,
    project_id: projectId,
    name: request.name,
    version: request.version ?? '1.0.0',
    endpoint: request.endpoint ?? null,
    allowed_origins: '[]',
    secret_sealed: deps.keyring.seal(secret, secretContext(runtimeId)),
    revision: 0,
    created_at: now,
    updated_at: now,
  }
  if (!(await insertRuntime(deps.db, row, [deployKey.row, publicKey.row], requireAllowed))) return null
  return {
    runtimeId,
    projectId,
    tier,
    secret: secret.reveal(),
    deployKey: deployKey.key.reveal(),
    publicKey: publicKey.key.reveal(),
    deployKeyPrefix: deployKey.row.prefix,
    publicKeyPrefix: publicKey.row.prefix,
  }
}

function requireAllowed({ tier, runtimeCount, isRetired, hasProject }: InsertedRuntime): void {
  if (isRetired) throw invalidField('runtimeId', RETIRED)
  if (!hasProject) throw notFound('The project')
  const problem = planLimitProblem(tier, runtimeCount)
  if (problem) throw forbidden(problem)
}

const RETIRED = 'was the id of a runtime that was deleted, and is not given again. Choose another one, or leave it out.'

async function update({ db, clock }: RuntimeDeps, owner: Owner, runtimeId: string, request: RegisterRuntimeRequest) {
  const { name, version, projectId, endpoint } = request
  const at = { runtimeId, projectId, now: clock.now() }
  const changed = await changeRuntime(db, owner.ownerId, at, { name, version, endpoint })
  if (!changed) throw notFound('The runtime')
  const { runtime, keys } = changed
  return {
    runtimeId,
    projectId: runtime.project_id,
    tier: runtime.tier,
    deployKeyPrefix: keys.deploy.prefix,
    publicKeyPrefix: keys.public.prefix,
  }
}
