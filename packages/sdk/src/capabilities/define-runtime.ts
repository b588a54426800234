import type { EffectStore } from '../effects/effect-store.ts'
import { CapabilityDefinitionError } from '../errors.ts'
import type { AnyCapability } from './define-capability.ts'

/** A set of capabilities. It never changes once defined. */
export interface Runtime {
  readonly kind: 'svc-runtime'
  readonly capabilities: readonly AnyCapability[]
  /** Where the outcomes of calls are recorded, if they are. */
  readonly effects?: EffectStore
  /** The capability of exactly this name, or undefined. */
  find(name: string): AnyCapability | undefined
}

export interface RuntimeOptions {
  readonly capabilities: readonly AnyCapability[]
  /**
   * Records how each call of a `write` or `destructive` capability ends, before the call is answered: a repeated `callId` gets
   * the recorded answer and runs no handler, and the service can ask later what became of a call.
   */
  readonly effects?: EffectStore | undefined
}

/**
 * Puts capabilities together. Throws {@link CapabilityDefinitionError} where two names differ only by case.
 * @example
 * export default defineRuntime({ capabilities: [searchProducts, orderStatus] })
 * @example
 * export default defineRuntime({ capabilities: [placeOrder], effects: createSqlEffectStore(pool) })
 */
export function defineRuntime(options: RuntimeOptions): Runtime {
  const { effects } = options
  const capabilities = Object.freeze([...options.capabilities])
  refuseOtherObjects(capabilities)
  refuseRepeatedNames(capabilities)
  refuseOtherStores(effects)
  const byName = new Map(capabilities.map((capability) => [capability.name, capability]))
  const find = (name: string) => byName.get(name)
  return Object.freeze({ kind: 'svc-runtime' as const, capabilities, find, ...(effects && { effects }) })
}

/** True for what `defineRuntime` returned, also where that was another copy of this package. */
export function isRuntime(value: unknown): value is Runtime {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'svc-runtime'
}

function refuseOtherObjects(capabilities: readonly AnyCapability[]): void {
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

// A nonce store is easily given in its place.
function refuseOtherStores(effects: Partial<EffectStore> | undefined): void {
  if (effects === undefined) return
  const { begin, end, read, lifetimeMs, maxAnswerBytes } = effects
  const isStore = [begin, end, read].every((method) => typeof method === 'function')
  if (isStore && typeof lifetimeMs === 'number' && typeof maxAnswerBytes === 'number') return
  throw new CapabilityDefinitionError(
    'effects is not an effect store: make it with createMemoryEffectStore(), createSqlEffectStore() or createRedisEffectStore().',
  )
}
