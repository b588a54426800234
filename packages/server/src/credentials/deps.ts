import type { Db } from '../database/schema.ts'
import type { StorageRoom } from '../database/storage-room.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Keyring } from '../secrets/keyring.ts'

export interface CredentialDeps {
  db: Db
  clock: Clock
  newId: NewId
  keyring: Keyring
  room: Pick<StorageRoom, 'require'>
}
