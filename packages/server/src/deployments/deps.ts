import type { SynchronousWork } from '../admission/synchronous-work.ts'
import type { AnalyticsDeps } from '../analytics/deps.ts'
import type { RuntimeDeps } from '../runtimes/deps.ts'

export interface DeploymentDeps extends AnalyticsDeps, Pick<RuntimeDeps, 'schemas' | 'ownUrls'> {
  synchronousWork: SynchronousWork
}
