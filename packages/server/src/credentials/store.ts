import type { KeyKind } from '@svc/contract'
import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'

export type NewCredential = Insertable<Schema['credentials']>

export interface RuntimeKey {
  ownerId: string
  runtimeId: string
  /** Null for a key that no rotation has limited. */
  expiresAt: number | null
}

/** The runtime that a deploy or public key belongs to, or null when no valid one has any of the hashes. */
export async function findRuntimeKey(
  db: Kysely<Schema>,
  hashes: readonly string[],
  kind: Exclude<KeyKind, 'account'>,
  now: number,
): Promise<RuntimeKey | null> {
  const row = await validCredentials(db, hashes, kind, now)
    .select(['owner_id', 'runtime_id', 'expires_at'])
    .executeTakeFirst()
  if (!row?.runtime_id) return null
  return { ownerId: row.owner_id, runtimeId: row.runtime_id, expiresAt: row.expires_at }
}

/** The display forms of a runtime's keys; null where there is none. */
export interface KeyPrefixes {
  deploy: string | null
  public: string | null
}

/** Those of the current ones. */
export async function findKeyPrefixes(db: Kysely<Schema>, ownerId: string, runtimeId: string): Promise<KeyPrefixes> {
  const rows = await keysOf(db, ownerId, runtimeId).where('expires_at', 'is', null).select(['kind', 'prefix']).execute()
  const prefixOf = (kind: KeyKind) => rows.find((row) => row.kind === kind)?.prefix ?? null
  return { deploy: prefixOf('deploy'), public: prefixOf('public') }
}

/** Until when a runtime's replaced keys go on working; null where none does. */
export async function findGraceEnds(
  db: Kysely<Schema>,
  ownerId: string,
  { runtimeId, now }: { runtimeId: string; now: number },
): Promise<{ deploy: number | null; public: number | null }> {
  const rows = await keysOf(db, ownerId, runtimeId)
    .where('expires_at', '>', now)
    .select(['kind', 'expires_at'])
    .execute()
  const endOf = (kind: KeyKind) => rows.find((row) => row.kind === kind)?.expires_at ?? null
  return { deploy: endOf('deploy'), public: endOf('public') }
}

function keysOf(db: Kysely<Schema>, ownerId: string, runtimeId: string) {
  return db
    .selectFrom('credentials')
    .where('owner_id', '=', ownerId)
    .where('runtime_id', '=', runtimeId)
    .where('revoked_at', 'is', null)
}

/** Adds a key to an account. */
export async function insertCredential(db: Kysely<Schema>, credential: NewCredential): Promise<void> {
  await db.insertInto('credentials').values(credential).execute()
}

/** Keys of one kind that have any of the hashes and still work; for a query to go on from. */
export function validCredentials(db: Kysely<Schema>, hashes: readonly string[], kind: KeyKind, now: number) {
  return db
    .selectFrom('credentials')
    .where('credentials.hash', 'in', hashes)
    .where('credentials.kind', '=', kind)
    .where('credentials.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('credentials.expires_at', 'is', null), eb('credentials.expires_at', '>', now)]))
}
