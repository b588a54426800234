import type { Kysely } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import type { Schema } from '../store/schema.ts'
import type { UsageAggregation } from './aggregation.ts'

export interface AnalyticsDeps {
  db: Kysely<Schema>
  clock: Clock
  aggregation: UsageAggregation
}
