import type { AnyCapability, CapabilityContext } from '../capabilities/define-capability.ts'

/**
 * Looks up what the end user of a call may do, in the words that the capabilities’ `permissions` use. What it throws
 * fails the call; only `onError`, and a `CapabilityError`’s reader, learn its words. Without an end user `context.endUserToken` is undefined: answer what anonymous callers may do.
 */
export type PermissionsOf = (context: CapabilityContext) => readonly string[] | Promise<readonly string[]>

/** The permissions that a capability asks for and its caller does not hold. Rejects where they cannot be looked up. */
export async function lackingPermissions(
  capability: AnyCapability,
  context: CapabilityContext,
  permissionsOf: PermissionsOf | undefined,
): Promise<readonly string[]> {
  const needed = capability.permissions ?? []
  if (needed.length === 0) return []
  const held: unknown = await permissionsOf?.(context)
  // A text would be searched for parts of words: “read” is in “readonly”.
  if (!Array.isArray(held)) throw new TypeError('permissionsOf must return a list of permissions.')
  return needed.filter((permission) => !held.includes(permission))
}
