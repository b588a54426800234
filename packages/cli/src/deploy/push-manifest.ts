import { type DeploymentManifest, type DeploymentSource, DeployResponse } from '@svc/contract'
import type { Credential, Refusal } from '../control-plane/answer.ts'
import { runtimeCaller } from '../control-plane/caller.ts'
import { refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'
import { type CommandFailure, invalidFields } from '../failures.ts'
import { nameCapabilities } from '../project/name-capabilities.ts'

const TIMEOUT_MS = 60_000

export type Pushed = {
  readonly manifest: DeploymentManifest
  readonly traffic: number | null
  readonly source: DeploymentSource | null
}

/** Publishes the manifest. A refused one is reported with the capabilities’ names in place of their positions. */
export async function pushManifest(
  deps: Pick<CliDeps, 'fetch'>,
  who: Credential,
  { manifest, traffic, source }: Pushed,
): Promise<DeployResponse> {
  const answer = await request(deps, runtimeCaller(who), {
    method: 'POST',
    path: '/v1/deployments',
    body: { manifest, ...(traffic !== null && { traffic }), ...(source && { source }) },
    timeoutMs: TIMEOUT_MS,
    answer: DeployResponse,
  })
  if (answer.ok) return answer.value
  // A control plane that is older than the field refuses it. Nothing was published.
  if (source && isAboutSource(answer.refusal)) return pushManifest(deps, who, { manifest, traffic, source: null })
  throw refusedManifest(answer.refusal, manifest)
}

function isAboutSource({ status, details }: Refusal): boolean {
  const fields = Object.keys(details?.fieldErrors ?? {})
  return status === 400 && fields.length > 0 && fields.every((field) => field.split('.')[0] === 'source')
}

// The message of a refusal repeats the first of its fields.
function refusedManifest(refusal: Refusal, { capabilities }: DeploymentManifest): CommandFailure {
  const fields = nameCapabilities(refusal.details?.fieldErrors ?? {}, capabilities)
  if (refusal.status !== 400 || Object.keys(fields).length === 0) return refused(refusal)
  return invalidFields('The control plane refused the manifest.', fields)
}
