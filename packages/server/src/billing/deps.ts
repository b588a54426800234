import type { ModelPrices } from '@svc/contract'
import type { AnalyticsDeps } from '../analytics/deps.ts'
import type { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import type { Payments } from './payments/payments.ts'

export interface BillingDeps extends AnalyticsDeps {
  /** Null where no payment provider is configured. */
  payments: Payments | null
  /** Null where the operator configured none. */
  modelPrices: ModelPrices | null
  paymentCalls: KeyedSemaphore
}
