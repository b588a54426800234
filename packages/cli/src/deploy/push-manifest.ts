import { type DeploymentManifest, DeployResponse } from '@svc/contract'
import type { Credential, Refusal } from '../control-plane/answer.ts'
import { refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'
import { nameCapabilities } from './name-capabilities.ts'

const TIMEOUT_MS = 60_000

/** Publishes the manifest. A refused one is reported with the capabilities’ names in place of their positions. */
export async function pushManifest(
  deps: Pick<CliDeps, 'fetch'>,
  who: Credential,
  manifest: DeploymentManifest,
): Promise<DeployResponse> {
  const answer = await request(deps, who, {
    method: 'POST',
    path: '/v1/deployments',
    body: { manifest },
    timeoutMs: TIMEOUT_MS,
    answer: DeployResponse,
  })
  if (answer.ok) return answer.value
  throw refused(withNames(answer.refusal, manifest))
}

function withNames(refusal: Refusal, manifest: DeploymentManifest): Refusal {
  if (!refusal.details) return refusal
  return { ...refusal, details: { fieldErrors: nameCapabilities(refusal.details.fieldErrors, manifest.capabilities) } }
}
