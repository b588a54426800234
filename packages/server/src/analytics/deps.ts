import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Clock } from '../lib/clock.ts'
import type { UsageAggregation } from './aggregation.ts'

export interface AnalyticsDeps {
  db: Kysely<Schema>
  clock: Clock
  aggregation: UsageAggregation
}
