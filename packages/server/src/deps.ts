import type { AccountDeps } from './accounts/deps.ts'
import type { ApprovalDeps } from './approvals/deps.ts'
import type { BillingDeps } from './billing/deps.ts'
import type { DeploymentDeps } from './deployments/deps.ts'
import type { DiscoveryDeps } from './deployments/discovery.ts'
import type { SignInDeps } from './end-users/verify-token.ts'
import type { HttpDeps } from './http/deps.ts'
import type { RuntimeDeps } from './runtimes/deps.ts'
import type { DatabaseClock } from './store/database-clock.ts'
import type { Peers } from './streams/peers.ts'
import type { WebFiles } from './web/web-files.ts'
import type { WebhookDeps } from './webhooks/deps.ts'

type Parts = AccountDeps &
  ApprovalDeps &
  BillingDeps &
  DeploymentDeps &
  DiscoveryDeps &
  HttpDeps &
  RuntimeDeps &
  SignInDeps &
  WebhookDeps

/** Everything that use cases need and do not make themselves. They take it first and narrow it: `Pick<Deps, …>`. */
export interface Deps extends Parts {
  databaseClock: DatabaseClock
  /** Other replicas, which may run what this one is asked for. */
  peers: Peers
  nodeId: string
  /** What browsers load from the service itself. */
  web: WebFiles
}
