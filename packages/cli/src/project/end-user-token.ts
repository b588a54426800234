import type { CliDeps } from '../deps.ts'

/** The end user in whose name capabilities are called; null for nobody. Never on a command line or in a file of tests. */
export function endUserTokenOf({ env }: Pick<CliDeps, 'env'>): string | null {
  return env['SVC_END_USER_TOKEN'] || null
}
