import type { CoreDeps } from '../lib/core-deps.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { PasswordQueue } from './password-queue.ts'

export interface AccountDeps extends CoreDeps {
  passwords: PasswordQueue
  /** Null: the service sends no mail. */
  mailer: Mailer | null
}
