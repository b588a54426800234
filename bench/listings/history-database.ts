import { type Database, openDatabase } from '../../packages/server/src/store/database.ts'
import type { TestEngine } from '../../packages/server/test/support/engines.ts'
import { gatherStatistics } from '../../packages/server/test/support/statistics.ts'
import { fillHistory, type History } from './fill.ts'

export interface HistoryDatabase {
  database: Database
  history: History
  remove(): Promise<void>
}

const PROJECTS = ['proj_00000000000000000000000001', 'proj_00000000000000000000000002'] as const
const RUNTIMES = ['rt_bench000000000000001', 'rt_bench000000000000002', 'rt_bench000000000000003'] as const

/** A database of its own with one owner's history in it. */
export async function createHistoryDatabase(engine: TestEngine, size: number): Promise<HistoryDatabase> {
  const place = await engine.createPlace()
  const database = await openDatabase(place.options)
  const history: History = {
    ownerId: 'own_00000000000000000000000001',
    size,
    now: Date.now(),
    runtimeIds: RUNTIMES,
    projectIds: PROJECTS,
    idleRuntimeId: 'rt_bench0000000000idle',
    movedRuntimeId: 'rt_bench000000000moved',
  }
  await fillGroups(database, history)
  await fillHistory(database, history)
  await gatherStatistics(database)
  return {
    database,
    history,
    async remove() {
      await database.close()
      await place.remove()
    },
  }
}

async function fillGroups(
  { db }: Database,
  { ownerId, now, runtimeIds, projectIds, ...others }: History,
): Promise<void> {
  const times = { created_at: now, updated_at: now }
  await db
    .insertInto('projects')
    .values(
      projectIds.map((id, index) => ({
        owner_id: ownerId,
        project_id: id,
        name: id,
        is_default: index === 0 ? 1 : 0,
        ...times,
      })),
    )
    .execute()
  const ids = [...runtimeIds, others.idleRuntimeId, others.movedRuntimeId]
  await db
    .insertInto('runtimes')
    .values(
      ids.map((id) => ({
        owner_id: ownerId,
        runtime_id: id,
        project_id: projectIds[1],
        name: id,
        version: '1.0.0',
        allowed_origins: '[]',
        secret_sealed: 'none',
        ...times,
      })),
    )
    .execute()
}
