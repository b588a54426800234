import type { Capability, JsonObject } from '@svc/contract'
import type { AnyCapability } from '@svc/sdk'

/** A capability as lists show it; plain JSON, so that it travels between processes. */
export type ListedCapability = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly requiresEndUser: boolean
  /** Whether a person approves each call. */
  readonly confirm: boolean
  readonly deprecated: boolean
  readonly deprecatedSince: string | null
  readonly removalNotBefore: string | null
  readonly permissions: string[]
  readonly inputSchema: JsonObject | null
  readonly outputSchema: JsonObject | null
}

export function listed(described: Capability, defined: AnyCapability | undefined): ListedCapability {
  const [action] = described.actions
  return {
    name: described.name,
    version: described.version,
    description: described.description,
    requiresEndUser: described.requiresEndUser,
    confirm: described.confirm ?? false,
    deprecated: described.deprecated === true,
    deprecatedSince: described.deprecatedSince ?? null,
    removalNotBefore: described.removalNotBefore ?? null,
    permissions: [...(defined?.permissions ?? [])],
    inputSchema: action?.inputSchema ?? null,
    outputSchema: action?.outputSchema ?? null,
  }
}
