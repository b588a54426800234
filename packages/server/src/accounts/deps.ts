import type { Kysely } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Schema } from '../store/schema.ts'
import type { StorageRoom } from '../store/storage-room.ts'
import type { PasswordQueue } from './password-queue.ts'

export interface AccountDeps {
  db: Kysely<Schema>
  clock: Clock
  newId: NewId
  keyring: Keyring
  passwords: PasswordQueue
  room: Pick<StorageRoom, 'require'>
  /** The public address of the service. */
  baseUrl: () => string
}
