import type { DoctorReport, DoctorRequest } from '@svc/contract'
import type { Owner } from '../accounts/accounts.ts'
import { invalidField, limited, unauthorized } from '../errors.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import type { RuntimeDeps } from './deps.ts'
import { ownAddressProblem } from './rules.ts'
import { type RuntimeIdentity, requireRuntime } from './runtimes.ts'
import { openSecrets } from './serving-runtime.ts'
import { findRuntime, type RuntimeView } from './store.ts'

interface Asked extends DoctorRequest {
  /** Ends the examination where its caller leaves. */
  signal: StopSignal
}

/** Examines the endpoint of the runtime of a deploy key, or the one in the body. Nothing is charged or recorded. */
export async function examineEndpoint(deps: RuntimeDeps, place: RuntimeIdentity, asked: Asked): Promise<DoctorReport> {
  const row = await findRuntime(deps.db, place.ownerId, place.runtimeId)
  if (!row) throw unauthorized()
  return examine(deps, row, asked)
}

/** The same for a runtime of the owner's. */
export async function examineOwnEndpoint(
  deps: RuntimeDeps,
  owner: Owner,
  { runtimeId, ...asked }: Asked & { runtimeId: string },
): Promise<DoctorReport> {
  return examine(deps, await requireRuntime(deps, owner, runtimeId), asked)
}

async function examine(deps: RuntimeDeps, row: RuntimeView, asked: Asked): Promise<DoctorReport> {
  const { owner_id: ownerId, runtime_id: runtimeId } = row
  const problem = asked.endpoint === undefined ? null : ownAddressProblem(asked.endpoint, deps.ownUrls())
  if (problem) throw invalidField('endpoint', problem)
  const taken = deps.rateLimit.takeExamination(ownerId)
  if (!taken.ok) throw limited('The doctor of this account ran as often as it may within a minute.', taken.retryAfterMs)
  const endpoint = asked.endpoint ?? row.endpoint
  if (endpoint === null) return withoutEndpoint('No endpoint is registered, so no capability can be called.')
  if (ownAddressProblem(endpoint, deps.ownUrls())) return withoutEndpoint('The endpoint is an address of this service.')
  const executionId = deps.newId('execution')
  return deps.dispatcher.examine({
    target: { ownerId, runtimeId, endpoint, secrets: openSecrets(deps, row) },
    ids: () => ({ executionId, callId: deps.newId('call') }),
    signal: asked.signal,
  })
}

function withoutEndpoint(message: string): DoctorReport {
  const mend = 'Set endpoint in svc.config.ts to the address that serves your capabilities, and deploy.'
  return { ok: false, rows: [{ check: 'endpoint', ok: false, message, mend }] }
}
