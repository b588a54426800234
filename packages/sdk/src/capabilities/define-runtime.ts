import { CapabilityDefinitionError } from '../errors.ts'
import type { AnyCapability } from './define-capability.ts'

/** A set of capabilities. It never changes once defined. */
export interface Runtime {
  readonly kind: 'svc-runtime'
  readonly capabilities: readonly AnyCapability[]
  /** The capability of exactly this name, or undefined. */
  find(name: string): AnyCapability | undefined
}

/**
 * Puts capabilities together. Throws {@link CapabilityDefinitionError} where two names differ only by case.
 * @example
 * export default defineRuntime({ capabilities: [searchProducts, orderStatus] })
 */
export function defineRuntime(options: { capabilities: readonly AnyCapability[] }): Runtime {
  const capabilities = Object.freeze([...options.capabilities])
  refuseStrangers(capabilities)
  refuseRepeatedNames(capabilities)
  const byName = new Map(capabilities.map((capability) => [capability.name, capability]))
  return Object.freeze({ kind: 'svc-runtime' as const, capabilities, find: (name: string) => byName.get(name) })
}

/** True for what `defineRuntime` returned, also where that was another copy of this package. */
export function isRuntime(value: unknown): value is Runtime {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'svc-runtime'
}

function refuseStrangers(capabilities: readonly AnyCapability[]): void {
  const position = capabilities.findIndex((capability) => capability?.kind !== 'svc-capability')
  if (position === -1) return
  throw new CapabilityDefinitionError(`capabilities[${position}] is not a capability: make it with defineCapability().`)
}

function refuseRepeatedNames(capabilities: readonly AnyCapability[]): void {
  const first = new Map<string, string>()
  for (const { name } of capabilities) {
    const earlier = first.get(name.toLowerCase())
    if (earlier !== undefined) throw new CapabilityDefinitionError(repeated(name, earlier))
    first.set(name.toLowerCase(), name)
  }
}

function repeated(name: string, earlier: string): string {
  if (name === earlier) return `Two capabilities are named “${name}”: rename or remove one.`
  return `“${name}” and “${earlier}” differ only by case: rename one, names are compared without it.`
}
