import { Account, abbreviateKey } from '@svc/contract'
import { type AccountCredential, findAccountKey } from '../control-plane/account-key.ts'
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
  const [credential, apiKey] = [findAccountKey(deps, env, baseUrl), env['SVC_API_KEY']?.trim() || null]
  if (credential === null && apiKey === null) {
    throw projectFailure(`Neither SVC_ACCOUNT_KEY nor SVC_API_KEY is set, and no key is saved for ${baseUrl}.`, [
      '`svc login` saves an account key; registering a runtime gives its deploy key.',
    ])
  }
  const account = credential === null ? null : await readAccount(deps, credential)
  const runtime = apiKey === null ? null : await readRuntime(deps, { baseUrl, apiKey })
  terminal.line(`control plane  ${baseUrl}`)
  if (account) terminal.line(`account        ${accountLine(account)}`)
  if (runtime)
    terminal.line(`runtime        ${runtime.runtimeId}${runtime.name ? ` ${runtime.name}` : ''}, by ${runtime.key}`)
  terminal.result({ baseUrl, account, runtime })
}

async function readAccount(deps: CliDeps, credential: AccountCredential) {
  const { baseUrl, accountKey, source } = credential
  const key = abbreviateKey(accountKey)
  const notAccepted = () => accountKeyNotAccepted(credential)
  const answer = await request(
    deps,
    { baseUrl, bearer: accountKey, notAccepted },
    { method: 'GET', path: '/v1/account', timeoutMs: TIMEOUT_MS, answer: Account },
  )
  if (!answer.ok) throw refused(answer.refusal)
  const { ownerId, email, tier, role, member } = answer.value
  return { ownerId, email, tier, role, member: member?.email ?? null, key, source }
}

function accountLine({ email, tier, role, member, key, source }: Awaited<ReturnType<typeof readAccount>>): string {
  const who = member === null || member === email ? '' : `${member} in `
  return `${who}${email}, ${tier}, ${role}, by ${key} (${source})`
}

async function readRuntime(deps: CliDeps, who: { baseUrl: string; apiKey: string }) {
  const answer = await readStatus(deps, who)
  if (!answer.ok) throw refused(answer.refusal)
  const { runtimeId, name = null } = answer.value
  return { runtimeId, name, key: abbreviateKey(who.apiKey) }
}
