import type { Db } from '../database/schema.ts'
import type { StorageRoom } from '../database/storage-room.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'

export interface ProjectDeps {
  db: Db
  clock: Clock
  newId: NewId
  room: Pick<StorageRoom, 'require'>
}
