import type { ServerResponse } from 'node:http'
import type { InFlight } from '../admission/in-flight.ts'
import type { LoopDelay } from '../admission/loop-delay.ts'
import type { RateLimit } from '../admission/rate-limit.ts'
import type { SynchronousWork } from '../admission/synchronous-work.ts'
import type { ActiveSet } from '../lib/active-set.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { ServingDeps } from '../runtimes/serving-cache.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import type { Tracer } from '../telemetry/tracing.ts'
import type { AccountQueues } from './account-queues.ts'
import type { DrainState } from './drain.ts'

/** The dependencies of the HTTP layer, apart from those that routes pass to their use cases. */
export interface HttpDeps extends CoreDeps, ServingDeps {
  rateLimit: RateLimit
  accountQueues: AccountQueues
  inFlight: InFlight
  loopDelay: LoopDelay
  synchronousWork: SynchronousWork
  /** The responses that are not closed yet. */
  requests: ActiveSet<ServerResponse>
  drainState: DrainState
  metrics: Metrics
  tracer: Tracer
  outages: OutageLog
  version: string
  /** The number of proxies in front of the service; the first of them sees the caller's address. */
  proxyHops: number
}
