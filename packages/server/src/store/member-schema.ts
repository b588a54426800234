import type { Role } from '@svc/contract'
import type { Counter, Nullable } from './column-schema.ts'

export interface MemberTables {
  members: {
    member_id: string
    owner_id: string
    /** In lower case. An address belongs to one member of all accounts. */
    email: string
    role: Role
    /** A hash; null until one was set. */
    password: Nullable<string>
    /** Rises with every change, which ends all earlier sessions. */
    password_version: Counter
    joined_at: number
  }
  /** Addresses that may join an account: at most one invitation for each. */
  invitations: {
    invitation_id: string
    owner_id: string
    email: string
    role: Role
    /** A hash under the master key. */
    token_hash: string
    created_at: number
    expires_at: number
  }
  auth_sessions: {
    owner_id: string
    member_id: string
    id: string
    /** Part of the session token, which also has a signature. */
    token: string
    valid_until: number
    password_version: number
    ip_address: Nullable<string>
    /** The browser and the system, as the member reads them. */
    user_agent: Nullable<string>
    /** To the minute; null in older rows that were not used since. */
    last_used_at: Nullable<number>
    /** Times as ISO 8601 text. */
    expires_at: string
    created_at: string
    updated_at: string
  }
  known_networks: {
    owner_id: string
    member_id: string
    /** A hash of the member and the network under the master key. */
    network: string
    /** The last sign-in from it. */
    seen_at: number
  }
  device_logins: {
    /** Hashes of the two codes under the master key. */
    device_hash: string
    user_hash: string
    machine: string
    network: string
    status: 'pending' | 'authorized' | 'denied'
    owner_id: Nullable<string>
    /** Who answered it. */
    member_id: Nullable<string>
    requested_at: number
    expires_at: number
    /** The last poll, or 0. */
    polled_at: Counter
  }
  /** Links that set a forgotten password: at most one for each member. */
  password_resets: {
    member_id: string
    owner_id: string
    /** A hash under the master key. */
    token_hash: string
    expires_at: number
  }
  /** The secrets that members share with an app. */
  second_factors: {
    member_id: string
    owner_id: string
    secret_sealed: string
    /** Null until a code of the app was given: it is asked for from then on. */
    confirmed_at: Nullable<number>
    /** The time step of the code that was last accepted: no code up to it is accepted again. */
    last_step: Counter
  }
  recovery_codes: {
    member_id: string
    owner_id: string
    /** A hash under the master key. The row is deleted when its code is used. */
    code_hash: string
  }
}
