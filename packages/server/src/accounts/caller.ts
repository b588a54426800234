import type { Role } from '@svc/contract'
import type { Member } from './member-store.ts'
import type { FoundKey, OwnerRow } from './store.ts'

/** Who asks on the owner plane, and as what: a member by a session, or an API key. */
export type Caller = LiveSession | KeyCaller

export interface LiveSession {
  owner: OwnerRow
  member: Member
  role: Role
  keyId: null
  /** Not the token. */
  sessionId: string
  validUntil: number
  /** True where this request has moved `validUntil`. */
  isRenewed: boolean
}

export type KeyCaller = Omit<FoundKey, 'lastUsedAt'>
