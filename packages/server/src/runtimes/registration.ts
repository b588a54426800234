import type { CreatedRuntime, RegisterRuntimeRequest, UpdatedRuntime } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { mintCredential } from '../credentials/credentials.ts'
import type { Deps } from '../deps.ts'
import { forbidden, internal, invalidField, notFound } from '../errors.ts'
import { mintRuntimeId } from '../lib/ids.ts'
import { defaultProject, requireProject } from '../projects/projects.ts'
import { mintSigningSecret } from '../secrets/mint.ts'
import type { Secret } from '../secrets/secret.ts'
import { ceilingProblem, ownAddressProblem } from './rules.ts'
import { secretContext } from './serving-runtime.ts'
import { changeRuntime, insertRuntime, type NewRuntime, whoseRuntime } from './store.ts'

type RegistrationDeps = Pick<Deps, 'db' | 'clock' | 'newId' | 'keyring' | 'room' | 'ownUrls'>

export type Registration = { created: true; runtime: CreatedRuntime } | { created: false; runtime: UpdatedRuntime }

/** Makes a runtime, or updates the owner's own one of this id. An id that another owner holds reads as absent. */
export async function registerRuntime(
  deps: RegistrationDeps,
  owner: Owner,
  request: RegisterRuntimeRequest,
): Promise<Registration> {
  const { endpoint } = request
  const problem = endpoint === undefined ? null : ownAddressProblem(endpoint, deps.ownUrls())
  if (problem) throw invalidField('endpoint', problem)
  if (request.projectId !== undefined) await requireProject(deps, owner, request.projectId)
  const { runtimeId } = request
  const holder = runtimeId === undefined ? 'nobody' : await whoseRuntime(deps.db, owner.ownerId, runtimeId)
  if (holder === 'foreign') throw notFound('The runtime')
  if (runtimeId !== undefined && holder === 'own') return update(deps, owner, { ...request, runtimeId })
  return create(deps, owner, { ...request, runtimeId: runtimeId ?? mintRuntimeId() })
}

type WithId = RegisterRuntimeRequest & { runtimeId: string }

async function create(deps: RegistrationDeps, owner: Owner, request: WithId): Promise<Registration> {
  deps.room.require()
  const { runtimeId } = request
  const secret = mintSigningSecret()
  const projectId = request.projectId ?? (await defaultProject(deps, owner))
  const deployKey = mintCredential(deps, owner.ownerId, { kind: 'deploy', runtimeId })
  const publicKey = mintCredential(deps, owner.ownerId, { kind: 'public', runtimeId })
  const row = newRow(deps, owner, { ...request, projectId }, secret)
  const creation = await insertRuntime(deps.db, row, [deployKey.row, publicKey.row], ceilingProblem)
  if (creation.outcome === 'refused') throw forbidden(creation.problem)
  if (creation.outcome === 'taken') return settleRace(deps, owner, request)
  return {
    created: true,
    runtime: {
      runtimeId,
      projectId,
      tier: owner.tier,
      secret: secret.reveal(),
      deployKey: deployKey.key.reveal(),
      publicKey: publicKey.key.reveal(),
      deployKeyPrefix: deployKey.row.prefix,
      publicKeyPrefix: publicKey.row.prefix,
    },
  }
}

// Somebody registered this id between the look-up and the insert: now it is there, as theirs or as ours.
async function settleRace(deps: RegistrationDeps, owner: Owner, request: WithId): Promise<Registration> {
  const holder = await whoseRuntime(deps.db, owner.ownerId, request.runtimeId)
  if (holder === 'foreign') throw notFound('The runtime')
  return update(deps, owner, request)
}

async function update(deps: RegistrationDeps, owner: Owner, request: WithId): Promise<Registration> {
  const { runtimeId, name, version, projectId, endpoint } = request
  const changed = await changeRuntime(deps.db, owner.ownerId, {
    runtimeId,
    changes: { name, version, projectId, endpoint },
    updatedAt: deps.clock.now(),
  })
  if (!changed) throw internal(new Error(`runtime ${runtimeId} was found, and is gone`))
  const { runtime, keyPrefixes } = changed
  return {
    created: false,
    runtime: {
      runtimeId,
      projectId: runtime.project_id,
      tier: runtime.tier,
      deployKeyPrefix: keyPrefixes.deploy,
      publicKeyPrefix: keyPrefixes.public,
    },
  }
}

function newRow(
  deps: RegistrationDeps,
  owner: Owner,
  request: WithId & { projectId: string },
  secret: Secret,
): NewRuntime {
  const now = deps.clock.now()
  return {
    owner_id: owner.ownerId,
    runtime_id: request.runtimeId,
    project_id: request.projectId,
    name: request.name,
    version: request.version ?? '1.0.0',
    endpoint: request.endpoint ?? null,
    allowed_origins: '[]',
    secret_sealed: deps.keyring.seal(secret, secretContext(request.runtimeId)),
    revision: 0,
    created_at: now,
    updated_at: now,
  }
}
