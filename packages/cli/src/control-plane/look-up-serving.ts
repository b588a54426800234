import { DeploymentDetail, type DeploymentManifest, type RuntimeStatus } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import { messageOf } from '../thrown.ts'
import type { Credential } from './answer.ts'
import { runtimeCaller } from './caller.ts'
import { request } from './request.ts'

const TIMEOUT_MS = 10_000

/** The live deployment and the endpoint in force, or why they are not known; null before the first deployment. */
export type Serving =
  | { readonly ok: true; readonly view: DeploymentManifest | null }
  | { readonly ok: false; readonly reason: string }

/** Reads the deployment that a status tells of. It never throws: a failed look-up stands in the way of nothing. */
export async function lookUpServing(
  deps: Pick<CliDeps, 'fetch'>,
  who: Credential,
  { deployment, endpoint }: RuntimeStatus,
): Promise<Serving> {
  if (deployment === null) return { ok: true, view: null }
  try {
    const answer = await request(deps, runtimeCaller(who), {
      method: 'GET',
      path: '/v1/runtime/deployment',
      timeoutMs: TIMEOUT_MS,
      answer: DeploymentDetail,
    })
    if (!answer.ok) return { ok: false, reason: answer.refusal.message }
    const { manifest } = answer.value
    return { ok: true, view: { ...manifest, endpoint: endpoint ?? manifest.endpoint } }
  } catch (error) {
    return { ok: false, reason: messageOf(error) }
  }
}
