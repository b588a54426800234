import { type AnyCapability, type CapabilityContext, CapabilityError } from '@svc/sdk'
import { ShopError } from '../store/shop-error.ts'

/**
 * The same capability, with the shop’s own sentences as expected failures, which a customer may read. The words of any other
 * fault, such as a locked database, go to the owner’s log alone.
 */
export function withPlainFailures(capability: AnyCapability): AnyCapability {
  const { preview } = capability
  return {
    ...capability,
    handler: (input, context) => plainly(() => capability.handler(input, context)),
    ...(preview && {
      preview: (input: unknown, context: CapabilityContext) => plainly(() => preview(input, context)),
    }),
  }
}

async function plainly<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ShopError ? new CapabilityError(error.message) : error
  }
}
