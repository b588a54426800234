import type { AccountDeps } from './accounts/deps.ts'
import type { BillingDeps } from './billing/deps.ts'
import type { DeletionDeps } from './deletions/deps.ts'
import type { DeploymentDeps } from './deployments/deps.ts'
import type { DiscoveryDeps } from './deployments/discovery.ts'
import type { SignInDeps } from './end-users/verify-token.ts'
import type { ExecutionDeps } from './executions/deps.ts'
import type { HttpDeps } from './http/deps.ts'
import type { RuntimeDeps } from './runtimes/deps.ts'
import type { DatabaseClock } from './store/database-clock.ts'
import type { Peers } from './streams/peers.ts'
import type { WebFiles } from './web/web-files.ts'
import type { WebhookDeps } from './webhooks/deps.ts'

type Parts = AccountDeps &
  BillingDeps &
  DeletionDeps &
  DeploymentDeps &
  DiscoveryDeps &
  ExecutionDeps &
  HttpDeps &
  RuntimeDeps &
  SignInDeps &
  WebhookDeps

/** The dependencies of all use cases, which take the part that they need as their first argument. */
export interface Deps extends Parts {
  databaseClock: DatabaseClock
  /** Other replicas, which may run an execution that this one is asked about. */
  peers: Peers
  nodeId: string
  /** Files that browsers load from the service itself. */
  web: WebFiles
}
