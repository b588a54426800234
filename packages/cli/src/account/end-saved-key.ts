import { AccountKey } from '@svc/contract'
import { request } from '../control-plane/request.ts'
import type { SavedKey } from '../control-plane/saved-keys.ts'
import type { CliDeps } from '../deps.ts'
import { CommandFailure } from '../failures.ts'
import type { Terminal } from '../terminal/terminal.ts'

const TIMEOUT_MS = 10_000

type Ended = { readonly baseUrl: string; readonly saved: SavedKey }

/** Revokes a key with itself, and warns where that fails. Returns whether it works no more. */
export async function endSavedKey(
  deps: Pick<CliDeps, 'fetch'>,
  terminal: Terminal,
  { baseUrl, saved }: Ended,
): Promise<boolean> {
  const path = `/v1/account/keys/${encodeURIComponent(saved.keyId)}/revoke`
  const caller = { baseUrl, bearer: saved.key }
  try {
    const answer = await request(deps, caller, { method: 'POST', path, timeoutMs: TIMEOUT_MS, answer: AccountKey })
    // 401: it was revoked before.
    if (answer.ok || answer.refusal.status === 401) return true
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
  }
  terminal.warn(`The key ${saved.keyId} could not be revoked. End it in the dashboard at ${baseUrl}, under “Account”.`)
  return false
}
