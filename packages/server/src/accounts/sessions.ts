import type { Session } from '@svc/contract'
import type { Deps } from '../deps.ts'
import { unauthorized } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import { type Owner, toAccount } from './accounts.ts'
import { deleteExpiredLogins } from './device-login-store.ts'
import { deleteForgottenNetworks } from './network-store.ts'
import { KNOWN_NETWORK_MS, renewedUntil, SESSION_MS } from './rules.ts'
import { deleteEndedSessions, deleteSession, extendSession, findSession, insertSession } from './session-store.ts'
import { handleOf, mintHandle, signSession } from './session-token.ts'
import type { NewOwner } from './store.ts'
import { deleteFullThrottles } from './throttle-store.ts'

/** A session that a request came with. */
export interface LiveSession {
  owner: Owner
  handle: string
  validUntil: number
  /** True where this very request has moved its end. */
  isRenewed: boolean
}

/** The session behind a bearer credential or a cookie, renewed once a day. Throws the one 401 for everything else. */
export async function authenticateSession(
  deps: Pick<Deps, 'db' | 'clock' | 'keyring'>,
  presented: string,
): Promise<LiveSession> {
  const now = deps.clock.now()
  const handle = handleOf(deps.keyring, presented)
  const found = handle === null ? null : await findSession(deps.db, handle, now)
  if (handle === null || found === null) throw unauthorized()
  const { validUntil, ...owner } = found
  const renewed = renewedUntil(validUntil, now)
  if (renewed === null) return { owner, handle, validUntil, isRenewed: false }
  await extendSession(deps.db, handle, renewed)
  return { owner, handle, validUntil: renewed, isRenewed: true }
}

/**
 * Begins a session under the password of that version, in place of the oldest where there are too many; where the
 * password was changed meanwhile, the session is void. Nothing can fail once the session is stored: its answer is made of
 * what was read before.
 */
export async function beginSession(
  deps: Pick<Deps, 'db' | 'clock' | 'keyring'>,
  owner: NewOwner,
  passwordVersion: number,
): Promise<Session> {
  const now = deps.clock.now()
  const handle = mintHandle()
  await insertSession(deps.db, { ownerId: owner.ownerId, handle, passwordVersion, now })
  return {
    account: toAccount(owner),
    token: signSession(deps.keyring, handle).reveal(),
    expiresAt: isoTime(now + SESSION_MS),
  }
}

/** Ends the session of this token, whichever replica asks next; does nothing where it opens none. */
export async function endSession(deps: Pick<Deps, 'db' | 'keyring'>, presented: string): Promise<void> {
  const handle = handleOf(deps.keyring, presented)
  if (handle !== null) await deleteSession(deps.db, handle)
}

/** Removes sessions and device codes that are over, throttles that hold nobody back, and networks that were not used lately. */
export async function sweepSessions(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const now = deps.clock.now()
  await deleteEndedSessions(deps.db, now)
  await deleteExpiredLogins(deps.db, now)
  await deleteFullThrottles(deps.db, now)
  await deleteForgottenNetworks(deps.db, now - KNOWN_NETWORK_MS)
}
