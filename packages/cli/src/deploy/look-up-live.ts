import type { RuntimeStatus } from '@svc/contract'
import type { Credential } from '../control-plane/answer.ts'
import { endpointWarnings } from '../control-plane/endpoint-warnings.ts'
import { lookUpServing, type Serving } from '../control-plane/look-up-serving.ts'
import { readStatus } from '../control-plane/read-status.ts'
import type { CliDeps } from '../deps.ts'
import { messageOf } from '../thrown.ts'

export type Live =
  | { readonly ok: true; readonly status: RuntimeStatus; readonly serving: Serving }
  | { readonly ok: false; readonly reason: string }

/** The live deployment, or why the look-up failed. It never throws: a deploy goes on without it. */
export async function lookUpLive(deps: Pick<CliDeps, 'fetch'>, who: Credential): Promise<Live> {
  try {
    const answer = await readStatus(deps, who)
    if (!answer.ok) return { ok: false, reason: answer.refusal.message }
    return { ok: true, status: answer.value, serving: await lookUpServing(deps, who, answer.value) }
  } catch (error) {
    return { ok: false, reason: messageOf(error) }
  }
}

/** The warning about the endpoint after a deployment; nothing where the status cannot be read. */
export async function lookUpEndpoint(deps: Pick<CliDeps, 'fetch'>, who: Credential): Promise<string[]> {
  const answer = await readStatus(deps, who).catch(() => null)
  return answer?.ok && answer.value.endpoint ? endpointWarnings(answer.value) : []
}
