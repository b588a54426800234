import { CreatedRuntime, ErrorBody, isLocalHost } from '@svc/contract'
import { exchange } from '../control-plane/exchange.ts'
import { notAControlPlane, redirected, refused } from '../control-plane/faults.ts'
import type { CliDeps } from '../deps.ts'
import { type CommandFailure, serverFailure } from '../failures.ts'
import type { Answers } from './answers.ts'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1024 * 1024

type Account = { readonly baseUrl: string; readonly accountKey: string }

export type RegisteredRuntime = CreatedRuntime & {
  /** Where the control plane will call; null as long as the project has no address that it could reach. */
  readonly endpoint: string | null
}

/** Registers a new runtime. A control plane on this machine is told where `svc dev` will serve. */
export async function registerRuntime(
  deps: Pick<CliDeps, 'fetch'>,
  who: Account,
  { name, port }: Answers,
): Promise<RegisteredRuntime> {
  const endpoint = isLocalHost(new URL(who.baseUrl).hostname) ? `http://127.0.0.1:${port}/svc` : null
  const { status, location, text } = await exchange(deps, who.baseUrl, {
    method: 'POST',
    path: '/v1/runtimes',
    headers: { authorization: `Bearer ${who.accountKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, ...(endpoint !== null && { endpoint }) }),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  if (location !== null) throw redirected(who.baseUrl, location.replace(/\p{Cc}/gu, ' '))
  const body = parse(text)
  const created = status === 201 ? CreatedRuntime.safeParse(body) : null
  if (created?.success) return { ...created.data, endpoint }
  throw notRegistered(who, status, body)
}

const WITHOUT = 'Or unset SVC_ACCOUNT_KEY: the project is made without registering, and .env filled in later.'

function notRegistered(who: Account, status: number, body: unknown): CommandFailure {
  const refusal = ErrorBody.safeParse(body)
  if (!refusal.success) return notAControlPlane(who.baseUrl, `POST /v1/runtimes answered ${status}`)
  const message = refusal.data.error.message.replace(/\p{Cc}/gu, ' ')
  if (status === 401) {
    return serverFailure(`The account key is not valid at ${who.baseUrl}. Nothing was written.`, [
      'Copy it again, or make a new one, and set SVC_ACCOUNT_KEY to it.',
      'If the account is elsewhere, set SVC_BASE_URL to that control plane’s address.',
    ])
  }
  if (status === 403) {
    return serverFailure(`No runtime was registered: ${message} Nothing was written.`, [
      'Upgrade the plan, or use a runtime that you have: its id, secret and keys go into .env.',
      WITHOUT,
    ])
  }
  return refused({ status, ...refusal.data.error, message })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
