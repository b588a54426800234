import { RuntimeId } from '@svc/contract'
import type { CliDeps, Environment } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { type AccountCredential, findAccountKey } from './account-key.ts'
import { refused } from './faults.ts'
import { readStatus } from './read-status.ts'

/** Whose executions are read, where, and with which account key. */
export type AccountSource = AccountCredential & { readonly runtimeId: string }

type Place = { readonly env: Environment; readonly baseUrl: string }

/** The account key of the environment, and the runtime of `SVC_RUNTIME_ID`, else of the deploy key. */
export async function accountSource(deps: CliDeps, { env, baseUrl }: Place): Promise<AccountSource> {
  const credential = findAccountKey(deps, env, baseUrl)
  if (credential === null) {
    throw projectFailure(
      'SVC_ACCOUNT_KEY is not set: executions are read with an account key, not with a deploy key.',
      [
        `Run \`svc login\`; or make one in the dashboard, under “Account” (${baseUrl}/dashboard), and set it.`,
        'It opens the whole account: set it in your shell, and keep it away from the server of your capabilities.',
      ],
    )
  }
  return { ...credential, runtimeId: await runtimeIdOf(deps, { env, baseUrl }) }
}

async function runtimeIdOf(deps: CliDeps, { env, baseUrl }: Place): Promise<string> {
  const [runtimeId, apiKey] = [env['SVC_RUNTIME_ID'] || null, env['SVC_API_KEY']?.trim() || null]
  if (runtimeId !== null) {
    const parsed = RuntimeId.safeParse(runtimeId)
    if (parsed.success) return parsed.data
    throw projectFailure(`SVC_RUNTIME_ID ${parsed.error.issues[0]?.message ?? 'must be a runtime’s id, rt_….'}`)
  }
  if (apiKey === null) {
    throw projectFailure('It is not known which runtime this is.', [
      'Set SVC_RUNTIME_ID to its id, rt_…, or SVC_API_KEY to its deploy key.',
    ])
  }
  const status = await readStatus(deps, { baseUrl, apiKey })
  if (!status.ok) throw refused(status.refusal)
  return status.value.runtimeId
}
