import { Account, abbreviateKey } from '@svc/contract'
import { accountKeyNotAccepted, refused } from '../control-plane/faults.ts'
import { readStatus } from '../control-plane/read-status.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { baseUrlOf } from '../project/base-url.ts'
import { surroundings } from '../project/surroundings.ts'
import type { Terminal } from '../terminal/terminal.ts'

const TIMEOUT_MS = 10_000

/** `svc whoami`: whose the account key is, and which runtime the deploy key is of. Each that is set has to be accepted. */
export async function whoAmI(deps: CliDeps, terminal: Terminal): Promise<void> {
  const env = surroundings(deps)
  const baseUrl = baseUrlOf(env)
  const [accountKey, apiKey] = [env['SVC_ACCOUNT_KEY']?.trim() || null, env['SVC_API_KEY']?.trim() || null]
  if (accountKey === null && apiKey === null) {
    throw projectFailure('Neither SVC_ACCOUNT_KEY nor SVC_API_KEY is set.', [
      'The dashboard makes account keys under “Account”; registering a runtime gives its deploy key.',
    ])
  }
  const account = accountKey === null ? null : await readAccount(deps, { baseUrl, accountKey })
  const runtime = apiKey === null ? null : await readRuntime(deps, { baseUrl, apiKey })
  terminal.line(`control plane  ${baseUrl}`)
  if (account) terminal.line(`account        ${account.email}, ${account.tier}, by ${account.key}`)
  if (runtime)
    terminal.line(`runtime        ${runtime.runtimeId}${runtime.name ? ` ${runtime.name}` : ''}, by ${runtime.key}`)
  terminal.result({ baseUrl, account, runtime })
}

async function readAccount(deps: CliDeps, { baseUrl, accountKey }: { baseUrl: string; accountKey: string }) {
  const key = abbreviateKey(accountKey)
  const notAccepted = () => accountKeyNotAccepted({ baseUrl, accountKey })
  const answer = await request(
    deps,
    { baseUrl, bearer: accountKey, notAccepted },
    { method: 'GET', path: '/v1/account', timeoutMs: TIMEOUT_MS, answer: Account },
  )
  if (!answer.ok) throw refused(answer.refusal)
  const { ownerId, email, tier } = answer.value
  return { ownerId, email, tier, key }
}

async function readRuntime(deps: CliDeps, who: { baseUrl: string; apiKey: string }) {
  const answer = await readStatus(deps, who)
  if (!answer.ok) throw refused(answer.refusal)
  const { runtimeId, name = null } = answer.value
  return { runtimeId, name, key: abbreviateKey(who.apiKey) }
}
