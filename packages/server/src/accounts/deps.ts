import type { CoreDeps } from '../lib/core-deps.ts'
import type { PasswordQueue } from './password-queue.ts'

export interface AccountDeps extends CoreDeps {
  passwords: PasswordQueue
}
