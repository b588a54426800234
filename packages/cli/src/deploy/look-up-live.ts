import type { RuntimeStatus } from '@svc/contract'
import type { Credential } from '../control-plane/answer.ts'
import { readStatus } from '../control-plane/read-status.ts'
import type { CliDeps } from '../deps.ts'
import { messageOf } from '../thrown.ts'

export type Live =
  | { readonly ok: true; readonly status: RuntimeStatus }
  | { readonly ok: false; readonly reason: string }

/** What is live, or why that could not be found out. It never throws: a failed look-up stands in the way of nothing. */
export async function lookUpLive(deps: Pick<CliDeps, 'fetch'>, who: Credential): Promise<Live> {
  try {
    const answer = await readStatus(deps, who)
    return answer.ok ? { ok: true, status: answer.value } : { ok: false, reason: answer.refusal.message }
  } catch (error) {
    return { ok: false, reason: messageOf(error) }
  }
}
