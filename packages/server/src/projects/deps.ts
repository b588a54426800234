import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Db } from '../store/schema.ts'
import type { StorageRoom } from '../store/storage-room.ts'

export interface ProjectDeps {
  db: Db
  clock: Clock
  newId: NewId
  room: Pick<StorageRoom, 'require'>
}
