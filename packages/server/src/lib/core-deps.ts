import type { Logger } from 'pino'
import type { Limits } from '../limits.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { DiskSpace } from '../store/disk-space.ts'
import type { Db } from '../store/schema.ts'
import type { Clock } from './clock.ts'
import type { NewId } from './ids.ts'

/** The dependencies of all use cases. Those that operators' commands call take a part of them. */
export interface CoreDeps {
  db: Db
  clock: Clock
  newId: NewId
  keyring: Keyring
  limits: Limits
  diskSpace: DiskSpace
  logger: Logger
  /** The public address of the service. */
  baseUrl: () => string
}
