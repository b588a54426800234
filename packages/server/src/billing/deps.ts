import type { Logger } from 'pino'
import type { AccountDeps } from '../accounts/deps.ts'
import type { AnalyticsDeps } from '../analytics/deps.ts'
import type { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import type { Limits } from '../limits.ts'
import type { Payments } from './payments/payments.ts'

export interface BillingDeps extends AnalyticsDeps, Pick<AccountDeps, 'newId' | 'keyring' | 'room'> {
  logger: Logger
  limits: Pick<Limits, 'bodyBytes'>
  /** Null where no payment provider is configured. */
  payments: Payments | null
  paymentCalls: KeyedSemaphore
}
