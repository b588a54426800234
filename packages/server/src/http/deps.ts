import type { ServerResponse } from 'node:http'
import type { InFlight } from '../admission/in-flight.ts'
import type { LoopDelay } from '../admission/loop-delay.ts'
import type { LoopShare } from '../admission/loop-share.ts'
import type { RateLimit } from '../admission/rate-limit.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { UnderWay } from '../lib/under-way.ts'
import type { ServingDeps } from '../runtimes/serving.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import type { Tracer } from '../telemetry/tracing.ts'
import type { AccountQueues } from './account-queues.ts'
import type { DrainState } from './drain.ts'

/** What the HTTP layer needs, beside what its routes hand to their use cases. */
export interface HttpDeps extends CoreDeps, ServingDeps {
  rateLimit: RateLimit
  /** Requests on the owner and the deploy plane, by account. */
  accountQueues: AccountQueues
  inFlight: InFlight
  loopDelay: LoopDelay
  loopShare: LoopShare
  /** The answers that were not sent yet, nor given up. */
  requests: UnderWay<ServerResponse>
  drainState: DrainState
  metrics: Metrics
  tracer: Tracer
  outages: OutageLog
  version: string
  /** How many proxies of the operator stand before the service; the caller's address is what the first of them saw. */
  proxyHops: number
}
