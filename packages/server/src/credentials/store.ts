import type { KeyKind, RuntimeKeyType } from '@svc/contract'
import type { Insertable, NotNull } from 'kysely'
import { firstRow, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'

export type NewCredential = Insertable<Schema['credentials']>

/** The runtime of the working deploy or public key with one of these hashes, or null. `expiresAt` is null until a rotation. */
export function findRuntimeKey(db: Db, hashes: readonly string[], kind: RuntimeKeyType, now: number) {
  const keys = validCredentials(db, hashes, kind, now).where('runtime_id', 'is not', null)
  const found = keys.select(['owner_id as ownerId', 'runtime_id as runtimeId', 'expires_at as expiresAt'])
  return firstRow(found.$narrowType<{ runtimeId: NotNull }>())
}

/** Of each kind the abbreviation of the current key, null where it is revoked, and the end of the one before it. */
export type RuntimeKeys = Record<RuntimeKeyType, { prefix: string | null; graceEndsAt: number | null }>

export async function findRuntimeKeys(db: Db, ownerId: string, runtimeId: string): Promise<RuntimeKeys> {
  const working = matching('credentials', { owner_id: ownerId, runtime_id: runtimeId, revoked_at: null })
  const rows = await db.selectFrom('credentials').select(['kind', 'prefix', 'expires_at']).where(working).execute()
  const keysOf = (type: RuntimeKeyType) => {
    const keys = rows.filter(({ kind }) => kind === type)
    const prefix = keys.find(({ expires_at }) => expires_at === null)?.prefix ?? null
    return { prefix, graceEndsAt: keys.find(({ expires_at }) => expires_at !== null)?.expires_at ?? null }
  }
  return { deploy: keysOf('deploy'), public: keysOf('public') }
}

export async function insertCredential(db: Db, credential: NewCredential): Promise<void> {
  await db.insertInto('credentials').values(credential).execute()
}

/** A query for the working keys of one kind with any of these hashes. */
export function validCredentials(db: Db, hashes: readonly string[], kind: KeyKind, now: number) {
  return db
    .selectFrom('credentials')
    .where('credentials.hash', 'in', hashes)
    .where(matching('credentials', { kind, revoked_at: null }))
    .where((eb) => eb.or([eb('credentials.expires_at', 'is', null), eb('credentials.expires_at', '>', now)]))
}
