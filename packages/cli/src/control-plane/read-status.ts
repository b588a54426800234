import { RuntimeStatus } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import type { Answer, Credential } from './answer.ts'
import { runtimeCaller } from './caller.ts'
import { request } from './request.ts'

const TIMEOUT_MS = 10_000

/** What the control plane serves for the key’s runtime. Asking counts as a check-in. */
export function readStatus(deps: Pick<CliDeps, 'fetch'>, who: Credential): Promise<Answer<RuntimeStatus>> {
  return request(deps, runtimeCaller(who), {
    method: 'GET',
    path: '/v1/runtime/status',
    timeoutMs: TIMEOUT_MS,
    answer: RuntimeStatus,
  })
}
