import { CreatedRuntime, isLocalHost, RuntimeId } from '@svc/contract'
import { z } from 'zod'
import type { Refusal } from '../control-plane/answer.ts'
import { refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'
import { type CommandFailure, serverFailure } from '../failures.ts'
import type { Answers } from './answers.ts'

const TIMEOUT_MS = 30_000

type Account = { readonly baseUrl: string; readonly accountKey: string }

export type RegisteredRuntime = CreatedRuntime & {
  /** Where the control plane will call; null as long as the project has no address that it could reach. */
  readonly endpoint: string | null
}

// They go into .env, which a shell may read, too: none of them can mean anything to it.
const Plain = z.string().regex(/^[\w-]{1,300}$/)
const PlainRuntime = CreatedRuntime.extend({ runtimeId: RuntimeId, secret: Plain, deployKey: Plain, publicKey: Plain })

/** Registers a new runtime. A control plane on this machine is told where `svc dev` will serve. */
export async function registerRuntime(
  deps: Pick<CliDeps, 'fetch'>,
  { baseUrl, accountKey }: Account,
  { name, port }: Answers,
): Promise<RegisteredRuntime> {
  const endpoint = isLocalHost(new URL(baseUrl).hostname) ? `http://127.0.0.1:${port}/svc` : null
  const caller = { baseUrl, bearer: accountKey, notAccepted: () => accountKeyNotAccepted(baseUrl) }
  const answer = await request(deps, caller, {
    method: 'POST',
    path: '/v1/runtimes',
    body: { name, ...(endpoint !== null && { endpoint }) },
    timeoutMs: TIMEOUT_MS,
    answer: PlainRuntime,
  })
  if (answer.ok) return { ...answer.value, endpoint }
  throw notRegistered(answer.refusal, { isLocal: endpoint !== null })
}

function accountKeyNotAccepted(baseUrl: string): CommandFailure {
  return serverFailure(`The account key is not valid at ${baseUrl}. Nothing was written.`, [
    'Copy it again, or make a new one, and set SVC_ACCOUNT_KEY to it; or run `svc login` again, if it was saved by that.',
    'If the account is elsewhere, set SVC_BASE_URL to that control plane’s address.',
  ])
}

function notRegistered(refusal: Refusal, { isLocal }: { isLocal: boolean }): CommandFailure {
  if (refusal.status !== 403) return refused(refusal)
  return serverFailure(`No runtime was registered: ${refusal.message} Nothing was written.`, [
    isLocal
      ? 'Where it runs, `npm run -s admin -- set-tier --email you@example.com --tier pro` allows more.'
      : 'Upgrade the plan.',
    'Or use a runtime that you have: its id, secret and keys go into .env.',
    'Or unset SVC_ACCOUNT_KEY, or run `svc logout`: the project is made without registering, and .env filled in later.',
  ])
}
