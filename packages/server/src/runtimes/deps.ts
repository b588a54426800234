import type { RateLimit } from '../admission/rate-limit.ts'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { Model } from '../model/model.ts'
import type { Schemas } from '../schemas/schemas.ts'

/** What registering, reading and serving runtimes needs. */
export interface RuntimeDeps extends CoreDeps {
  dispatcher: Dispatcher
  rateLimit: RateLimit
  model: Model
  schemas: Schemas
  /** Every address that leads to the service: no endpoint may. */
  ownUrls: () => readonly string[]
}
