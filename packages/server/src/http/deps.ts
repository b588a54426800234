import type { ServerResponse } from 'node:http'
import type { LoopDelay } from '../admission/loop-delay.ts'
import type { LoopShare } from '../admission/loop-share.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import type { UnderWay } from '../lib/under-way.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import type { Tracer } from '../telemetry/tracing.ts'
import type { AccountQueues } from './account-queues.ts'
import type { DrainState } from './drain.ts'

/** What the HTTP layer needs, beside what its routes hand to their use cases. */
export interface HttpDeps
  extends Pick<
    ExecutionDeps,
    | 'db'
    | 'clock'
    | 'keyring'
    | 'serving'
    | 'schemas'
    | 'limits'
    | 'rateLimit'
    | 'inFlight'
    | 'room'
    | 'metrics'
    | 'logger'
  > {
  accountQueues: AccountQueues
  loopDelay: LoopDelay
  loopShare: LoopShare
  /** The answers that were not sent yet, nor given up. */
  requests: UnderWay<ServerResponse>
  drainState: DrainState
  tracer: Tracer
  outages: OutageLog
  /** The public address of the service. */
  baseUrl: () => string
  version: string
  /** How many proxies of the operator stand before the service. */
  proxyHops: number
}
