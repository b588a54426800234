import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Db } from '../store/schema.ts'
import type { StorageRoom } from '../store/storage-room.ts'

export interface CredentialDeps {
  db: Db
  clock: Clock
  newId: NewId
  keyring: Keyring
  room: Pick<StorageRoom, 'require'>
}
