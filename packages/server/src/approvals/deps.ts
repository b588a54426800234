import type { ExecutionDeps } from '../executions/deps.ts'
import type { Pause } from '../store/retry.ts'

/** What asking for an approval, and deciding on one, needs beside what executions do. */
export interface ApprovalDeps extends ExecutionDeps {
  /** Between tries to reach a database that is away. */
  pause: Pause
}
