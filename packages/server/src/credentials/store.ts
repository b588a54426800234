import type { KeyKind } from '@svc/contract'
import type { Insertable } from 'kysely'
import type { Db, Schema } from '../store/schema.ts'

export type NewCredential = Insertable<Schema['credentials']>

export interface RuntimeKey {
  ownerId: string
  runtimeId: string
  /** Null until a rotation replaces the key. */
  expiresAt: number | null
}

/** The runtime of the working deploy or public key with one of these hashes, or null. */
export async function findRuntimeKey(
  db: Db,
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

/** The abbreviations of a runtime's current keys; null where a key is revoked. */
export interface KeyPrefixes {
  deploy: string | null
  public: string | null
}

export async function findKeyPrefixes(db: Db, ownerId: string, runtimeId: string): Promise<KeyPrefixes> {
  const rows = await keysOf(db, ownerId, runtimeId).where('expires_at', 'is', null).select(['kind', 'prefix']).execute()
  const prefixOf = (kind: KeyKind) => rows.find((row) => row.kind === kind)?.prefix ?? null
  return { deploy: prefixOf('deploy'), public: prefixOf('public') }
}

/** When a runtime's replaced keys stop working, in epoch milliseconds; null where none works. */
export async function findGraceEnds(
  db: Db,
  ownerId: string,
  { runtimeId, now }: { runtimeId: string; now: number },
): Promise<{ deploy: number | null; public: number | null }> {
  const replaced = keysOf(db, ownerId, runtimeId).where('expires_at', '>', now)
  const rows = await replaced.select(['kind', 'expires_at']).execute()
  const endOf = (kind: KeyKind) => rows.find((row) => row.kind === kind)?.expires_at ?? null
  return { deploy: endOf('deploy'), public: endOf('public') }
}

function keysOf(db: Db, ownerId: string, runtimeId: string) {
  const query = db.selectFrom('credentials').where('owner_id', '=', ownerId).where('runtime_id', '=', runtimeId)
  return query.where('revoked_at', 'is', null)
}

export async function insertCredential(db: Db, credential: NewCredential): Promise<void> {
  await db.insertInto('credentials').values(credential).execute()
}

/** A query for the working keys of one kind with any of these hashes. */
export function validCredentials(db: Db, hashes: readonly string[], kind: KeyKind, now: number) {
  return db
    .selectFrom('credentials')
    .where('credentials.hash', 'in', hashes)
    .where('credentials.kind', '=', kind)
    .where('credentials.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('credentials.expires_at', 'is', null), eb('credentials.expires_at', '>', now)]))
}
