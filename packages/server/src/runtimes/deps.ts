import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Model } from '../model/model.ts'
import type { Schemas } from '../schemas/schemas.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Schema } from '../store/schema.ts'
import type { StorageRoom } from '../store/storage-room.ts'

/** What registering, reading and serving runtimes needs; functions take their part of it. */
export interface RuntimeDeps {
  db: Kysely<Schema>
  clock: Clock
  newId: NewId
  keyring: Keyring
  dispatcher: Dispatcher
  model: Pick<Model, 'provider' | 'name'>
  schemas: Schemas
  room: StorageRoom
  logger: Pick<Logger, 'warn'>
  baseUrl: () => string
  ownUrls: () => readonly string[]
}
