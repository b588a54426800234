import type { InFlight } from '../admission/in-flight.ts'
import type { RateLimit } from '../admission/rate-limit.ts'
import type { CandidateWatch } from '../deployments/candidate-watch.ts'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { Model } from '../model/model.ts'
import type { ServingDeps } from '../runtimes/serving-cache.ts'
import type { Pause } from '../store/retry.ts'
import type { StreamedRuns } from '../streams/streamed-runs.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { StorageBudget } from '../usage/storage-budget.ts'
import type { BatchWriter } from './batch-writer.ts'
import type { NodeLease } from './node-lease.ts'
import type { RunningExecutions } from './running.ts'
import type { Settlements } from './settlements.ts'

export interface ExecutionDeps extends CoreDeps, ServingDeps {
  model: Model
  dispatcher: Dispatcher
  rateLimit: RateLimit
  inFlight: InFlight
  running: RunningExecutions
  streams: StreamedRuns
  lease: NodeLease
  batchWriter: BatchWriter
  settlements: Settlements
  storage: StorageBudget
  candidates: CandidateWatch
  /** From 0 up to 1, as `Math.random`. */
  random: () => number
  metrics: Metrics
  /** Between tries to reach a database that is away. */
  pause: Pause
}
