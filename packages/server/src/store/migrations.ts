import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { initial } from './migrations/0001-initial.ts'
import { accountKeys } from './migrations/0002-account-keys.ts'
import { sessions } from './migrations/0003-sessions.ts'
import { rollups } from './migrations/0004-rollups.ts'
import { listings } from './migrations/0005-listings.ts'
import { billing } from './migrations/0006-billing.ts'
import { usageJournal } from './migrations/0007-usage-journal.ts'
import { modelSteps } from './migrations/0008-model-steps.ts'
import { fewerIndexes } from './migrations/0009-fewer-indexes.ts'
import { steadyNodes } from './migrations/0010-steady-nodes.ts'
import { rateInMemory } from './migrations/0011-rate-in-memory.ts'
import { storedBytes } from './migrations/0012-stored-bytes.ts'
import { knownNetworks } from './migrations/0014-known-networks.ts'
import { callsInRow } from './migrations/0015-calls-in-row.ts'
import { masterKeyCheck } from './migrations/0016-master-key-check.ts'
import { failedCalls } from './migrations/0017-failed-calls.ts'
import { deviceLogins } from './migrations/0018-device-logins.ts'
import { nodeSettings } from './migrations/0019-node-settings.ts'
import { earlierCalls } from './migrations/0020-earlier-calls.ts'
import { unknownCalls } from './migrations/0021-unknown-calls.ts'
import { reconciled } from './migrations/0022-reconcile.ts'
import { idempotencyKeys } from './migrations/0023-idempotency-keys.ts'
import { nodeUrls } from './migrations/0024-node-urls.ts'
import { approvals } from './migrations/0025-approvals.ts'
import { executionSurface } from './migrations/0030-execution-surface.ts'
import { webhooks } from './migrations/0032-webhooks.ts'
import { traffic } from './migrations/0042-traffic.ts'
import { accountEvents } from './migrations/0043-account-events.ts'
import { rollback } from './migrations/0044-rollback.ts'
import { deletions } from './migrations/0045-deletions.ts'
import { secondFactors } from './migrations/0046-second-factors.ts'
import { members } from './migrations/0047-members.ts'
import { feedback } from './migrations/0048-feedback.ts'
import { deploymentSource } from './migrations/0049-deployment-source.ts'
import { COLUMN_TYPES, type ColumnTypes, type MigrationStep } from './migrations/column-types.ts'
import type { Schema } from './schema.ts'

export const MIGRATION_NAMES: readonly string[] = Object.keys(migrationsBy(COLUMN_TYPES.sqlite))

/** Applies missing migrations under a lock that other processes respect. */
export async function migrate(db: Kysely<Schema>, engine: keyof typeof COLUMN_TYPES): Promise<void> {
  const provider = { getMigrations: async () => migrationsBy(COLUMN_TYPES[engine]) }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw error
}

export function migrationsBy(types: ColumnTypes): Record<string, Migration> {
  const steps = {
    '0001-initial': initial(types),
    '0002-account-keys': accountKeys(types),
    '0003-sessions': sessions(types),
    '0004-rollups': rollups(types),
    '0005-listings': listings(),
    '0006-billing': billing(types),
    '0007-usage-journal': usageJournal(types),
    '0008-model-steps': modelSteps(types),
    '0009-fewer-indexes': fewerIndexes(),
    '0010-steady-nodes': steadyNodes(types),
    '0011-rate-in-memory': rateInMemory(),
    '0012-stored-bytes': storedBytes(types),
    '0014-known-networks': knownNetworks(types),
    '0015-calls-in-row': callsInRow(types),
    '0016-master-key-check': masterKeyCheck(types),
    '0017-failed-calls': failedCalls(types),
    '0018-device-logins': deviceLogins(types),
    '0019-node-settings': nodeSettings(types),
    '0020-earlier-calls': earlierCalls(types),
    '0021-unknown-calls': unknownCalls(types),
    '0022-reconcile': reconciled(types),
    '0023-idempotency-keys': idempotencyKeys(types),
    '0024-node-urls': nodeUrls(types),
    '0025-approvals': approvals(types),
    '0030-execution-surface': executionSurface(types),
    '0032-webhooks': webhooks(types),
    '0042-traffic': traffic(types),
    '0043-account-events': accountEvents(types),
    '0044-rollback': rollback(types),
    '0045-deletions': deletions(types),
    '0046-second-factors': secondFactors(types),
    '0047-members': members(types),
    '0048-feedback': feedback(types),
    '0049-deployment-source': deploymentSource(types),
  }
  return Object.fromEntries(Object.entries(steps).map(([name, own]) => [name, migrationOf(own)]))
}

function migrationOf(steps: readonly MigrationStep[]): Migration {
  return {
    async up(db) {
      for (const step of steps) await (typeof step === 'string' ? sql.raw(step).execute(db) : step(db))
    },
  }
}
