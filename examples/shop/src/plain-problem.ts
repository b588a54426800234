import { RequestProblem } from '@svc/example-kit'
import { ShopError } from './store/shop-error.ts'

/** What the work gives. The shop’s own sentences become answers of this status; any other fault stays one. */
export function orPlainProblem<T>(status: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof ShopError ? new RequestProblem(status, error.message) : error
  }
}
