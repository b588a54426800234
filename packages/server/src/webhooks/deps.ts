import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { RuntimeDeps } from '../runtimes/deps.ts'

export interface WebhookDeps extends CoreDeps, Pick<RuntimeDeps, 'ownUrls'> {
  dispatcher: Dispatcher
}
