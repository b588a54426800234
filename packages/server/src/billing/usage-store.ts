import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'

/** The owner's quota buckets by name, each as the time at which it is full again. One that was never drawn on is not there. */
export async function readAllowances(
  db: Kysely<Schema>,
  ownerId: string,
  buckets: readonly string[],
): Promise<Map<string, number>> {
  if (buckets.length === 0) return new Map()
  const rows = await db
    .selectFrom('allowances')
    .select(['bucket', 'full_at'])
    .where('owner_id', '=', ownerId)
    .where('bucket', 'in', [...buckets])
    .execute()
  return new Map(rows.map((row) => [row.bucket, row.full_at]))
}
