import { ExecuteResponse, keyKindOf, type Message } from '@svc/contract'
import type { CliDeps, Environment } from '../deps.ts'
import { projectFailure, serverFailure } from '../failures.ts'
import { refused } from './faults.ts'
import { request } from './request.ts'

// Above the five minutes that an execution takes at most.
const TIMEOUT_MS = 330_000

type Where = { readonly env: Environment; readonly baseUrl: string; readonly endUserToken: string | null }

/** Runs conversations as a page does: with the runtime’s public key, which has to be in the environment. */
export function executor(deps: Pick<CliDeps, 'fetch'>, { env, baseUrl, endUserToken }: Where) {
  const bearer = env['SVC_PUBLIC_KEY']?.trim() ?? ''
  if (keyKindOf(bearer) !== 'public') {
    throw projectFailure('SVC_PUBLIC_KEY is not set to a public key, svc_pk_….', [
      'The service runs a conversation with the runtime’s public key. Put it into .env, beside svc.config.ts.',
    ])
  }
  const notAccepted = () => serverFailure(`The key in SVC_PUBLIC_KEY is not valid at ${baseUrl}.`, ['Copy it again.'])
  return async (messages: readonly Message[]): Promise<ExecuteResponse> => {
    const answer = await request(
      deps,
      { baseUrl, bearer, notAccepted },
      {
        method: 'POST',
        path: '/v1/runtime/execute',
        body: { messages, ...(endUserToken !== null && { endUserToken }) },
        timeoutMs: TIMEOUT_MS,
        answer: ExecuteResponse,
      },
    )
    if (!answer.ok) throw refused(answer.refusal)
    return answer.value
  }
}
