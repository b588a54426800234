import type { Db } from '../store/schema.ts'
import { KEY_LIFETIME_MS } from './idempotency-rules.js'

/** The request that came first under a key; null where none did within 24 hours. */
export async function findKey(
  db: Db,
  keyHash: string,
  now: number,
): Promise<{ bodyHash: string; executionId: string; ownerId: string } | null> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['body_hash as bodyHash', 'execution_id as executionId', 'owner_id as ownerId'])
    .where('key_hash', '=', keyHash)
    .where('created_at', '>', now - KEY_LIFETIME_MS)
    .executeTakeFirst()
  return row ?? null
}

/** Whether an account has as many keys as it may. Counts no further. */
export async function hasReachedKeyLimit(db: Db, ownerId: string, most: number): Promise<boolean> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select('owner_id')
    .where('owner_id', '=', ownerId)
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The end of an execution of one call; null while it runs, undefined where it is gone. */
export async function findEnded(db: Db, ownerId: string, executionId: string) {
  const execution = db.selectFrom('executions').where('owner_id', '=', ownerId).where('execution_id', '=', executionId)
  // Asked again and again while it runs: without its payloads.
  const row = await execution.select('status').executeTakeFirst()
  if (row?.status === 'running') return null
  return execution
    .select(['error', 'calls', 'duration_ms as durationMs', 'awaits_approval as awaitsApproval'])
    .executeTakeFirst()
}

const KEYS_AT_ONCE = 1_000

/** Deletes keys that are older than a day, some in each transaction. */
export async function deleteExpiredIdempotencyKeys(db: Db, now: number): Promise<void> {
  for (;;) {
    const old = db
      .selectFrom('idempotency_keys')
      .select('key_hash')
      .where('created_at', '<=', now - KEY_LIFETIME_MS)
      .orderBy('created_at')
      .limit(KEYS_AT_ONCE)
    const { numDeletedRows } = await db
      .deleteFrom('idempotency_keys')
      .where('key_hash', 'in', old)
      .where('created_at', '<=', now - KEY_LIFETIME_MS)
      .executeTakeFirst()
    if (numDeletedRows < BigInt(KEYS_AT_ONCE)) return
  }
}
