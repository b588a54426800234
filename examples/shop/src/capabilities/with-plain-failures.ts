import { type AnyCapability, CapabilityError } from '@svc/sdk'
import { ShopError } from '../store/shop-error.ts'

/**
 * The same capability, whose failures are fit for a customer: the shop’s own sentences pass, a fault such as a locked
 * database becomes one general sentence, with the fault as its `cause` for the owner’s log.
 */
export function withPlainFailures(capability: AnyCapability): AnyCapability {
  return {
    ...capability,
    async handler(input, context) {
      try {
        return await capability.handler(input, context)
      } catch (error) {
        if (error instanceof ShopError) throw new CapabilityError(error.message)
        throw new Error('The shop could not do this just now. Please try again in a moment.', { cause: error })
      }
    },
  }
}
