import { type AnyCapability, CapabilityError } from '@svc/sdk'
import { ShopError } from '../store/shop-error.ts'

/**
 * The same capability, with the shop’s own sentences as expected failures, which a customer may read. The words of any other
 * fault, such as a locked database, go to the owner’s log alone.
 */
export function withPlainFailures(capability: AnyCapability): AnyCapability {
  return {
    ...capability,
    async handler(input, context) {
      try {
        return await capability.handler(input, context)
      } catch (error) {
        throw error instanceof ShopError ? new CapabilityError(error.message) : error
      }
    },
  }
}
