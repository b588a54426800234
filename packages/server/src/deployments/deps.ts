import type { Kysely } from 'kysely'
import type { LoopShare } from '../admission/loop-share.ts'
import type { UsageAggregation } from '../analytics/aggregation.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Limits } from '../limits.ts'
import type { Schemas } from '../schemas/schemas.ts'
import type { Schema } from '../store/schema.ts'
import type { StorageRoom } from '../store/storage-room.ts'

/** What deploying, and reading deployments, needs; functions take their part of it. */
export interface DeploymentDeps {
  db: Kysely<Schema>
  clock: Clock
  newId: NewId
  limits: Limits
  schemas: Schemas
  aggregation: Pick<UsageAggregation, 'catchUp'>
  room: StorageRoom
  loopShare: LoopShare
  baseUrl: () => string
  ownUrls: () => readonly string[]
}
