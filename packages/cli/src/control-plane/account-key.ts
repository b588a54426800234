import type { CliDeps, Environment } from '../deps.ts'
import { readSavedKeys } from './saved-keys.ts'

/** An account key, for which control plane it is, and where it was found. */
export type AccountCredential = {
  readonly baseUrl: string
  readonly accountKey: string
  readonly source: 'SVC_ACCOUNT_KEY' | 'svc login'
}

/** The account key of the environment, else the one that `svc login` has saved for this control plane; null where there is none. */
export function findAccountKey(
  deps: Pick<CliDeps, 'configFolder'>,
  env: Environment,
  baseUrl: string,
): AccountCredential | null {
  const given = env['SVC_ACCOUNT_KEY']?.trim()
  if (given) return { baseUrl, accountKey: given, source: 'SVC_ACCOUNT_KEY' }
  const saved = readSavedKeys(deps)[baseUrl]
  return saved ? { baseUrl, accountKey: saved.key, source: 'svc login' } : null
}
