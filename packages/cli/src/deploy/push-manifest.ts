import { type DeploymentManifest, DeployResponse } from '@svc/contract'
import type { Credential, Refusal } from '../control-plane/answer.ts'
import { runtimeCaller } from '../control-plane/caller.ts'
import { refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'
import { type CommandFailure, invalidFields } from '../failures.ts'
import { nameCapabilities } from '../project/name-capabilities.ts'

const TIMEOUT_MS = 60_000

/** Publishes the manifest. A refused one is reported with the capabilities’ names in place of their positions. */
export async function pushManifest(
  deps: Pick<CliDeps, 'fetch'>,
  who: Credential,
  { manifest, traffic }: { manifest: DeploymentManifest; traffic: number | null },
): Promise<DeployResponse> {
  const answer = await request(deps, runtimeCaller(who), {
    method: 'POST',
    path: '/v1/deployments',
    body: traffic === null ? { manifest } : { manifest, traffic },
    timeoutMs: TIMEOUT_MS,
    answer: DeployResponse,
  })
  if (answer.ok) return answer.value
  throw refusedManifest(answer.refusal, manifest)
}

// The message of a refusal repeats the first of its fields.
function refusedManifest(refusal: Refusal, { capabilities }: DeploymentManifest): CommandFailure {
  const fields = nameCapabilities(refusal.details?.fieldErrors ?? {}, capabilities)
  if (refusal.status !== 400 || Object.keys(fields).length === 0) return refused(refusal)
  return invalidFields('The control plane refused the manifest.', fields)
}
