import { type AnyCapability, type CapabilityContext, CapabilityError } from '@svc/sdk'

/**
 * The same capability, with the application’s own sentences as expected failures, which a customer may read. The words of any
 * other fault, such as a locked database, go to the owner’s log alone.
 */
export function withPlainFailures(
  capability: AnyCapability,
  OwnError: abstract new (...of: never) => Error,
): AnyCapability {
  async function plainly<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw error instanceof OwnError ? new CapabilityError(error.message) : error
    }
  }
  const { preview } = capability
  return {
    ...capability,
    handler: (input, context) => plainly(() => capability.handler(input, context)),
    ...(preview && {
      preview: (input: unknown, context: CapabilityContext) => plainly(() => preview(input, context)),
    }),
  }
}
