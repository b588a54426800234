import { Capability, capabilityNameProblem, fieldErrorsOf, type JsonObject } from '@svc/contract'
import type { CapabilitySchema, HandlerInput, HandlerOutput } from './capability-schema.ts'
import { CapabilityDefinitionError } from './errors.ts'

/** What a handler learns about the call that it answers. */
export interface CapabilityContext<RequiresEndUser extends boolean = boolean> {
  readonly executionId: string
  /** The same on a second try of the same call: the key to make an effect happen once. */
  readonly callId: string
  readonly capability: string
  readonly startedAt: Date
  /** Whatever the owner’s own log-in issued, untouched; a string for certain where `requiresEndUser` is true. */
  readonly endUserToken: RequiresEndUser extends true ? string : string | undefined
  readonly metadata: JsonObject
  /** Aborts when the caller leaves before the answer. */
  readonly signal: AbortSignal
}

/** What a capability says about itself. */
export interface CapabilityFacts {
  /** A letter, then up to 63 letters, digits or hyphens. */
  readonly name: string
  /** Semantic version, `1.0.0`. */
  readonly version: string
  /** What it does, for the model that chooses among capabilities. */
  readonly description?: string | undefined
  readonly deprecated?: boolean | undefined
  /** The version that deprecated it; required where `deprecated` is true. */
  readonly deprecatedSince?: string | undefined
  /** The earliest version without it. */
  readonly removalNotBefore?: string | undefined
}

export interface CapabilityOptions<Input, Output, RequiresEndUser extends boolean> extends CapabilityFacts {
  readonly input?: Input
  readonly output?: Output
  /** True: calls without an end-user token are refused before the handler runs. */
  readonly requiresEndUser?: RequiresEndUser
  /** Does the work. What it throws becomes the call’s failure: the message reaches the model, the stack nobody. */
  handler(
    input: HandlerInput<Input>,
    context: CapabilityContext<RequiresEndUser>,
  ): HandlerOutput<Output> | Promise<HandlerOutput<Output>>
}

/** A defined capability. Its handler keeps its types, so that it can be called from the owner’s own tests. */
export interface CapabilityDefinition<Input, Output, RequiresEndUser extends boolean>
  extends CapabilityOptions<Input, Output, RequiresEndUser> {
  readonly kind: 'svc-capability'
}

/** Any defined capability, whatever its schemas. */
export interface AnyCapability extends CapabilityFacts {
  readonly kind: 'svc-capability'
  readonly input?: CapabilitySchema | undefined
  readonly output?: CapabilitySchema | undefined
  readonly requiresEndUser?: boolean
  handler(input: unknown, context: CapabilityContext): unknown
}

/**
 * Defines one capability. The handler’s types follow from the schemas.
 * Throws {@link CapabilityDefinitionError} for an invalid name, version or schema.
 * @example
 * defineCapability({
 *   name: 'order-status',
 *   version: '1.0.0',
 *   input: z.object({ orderNumber: z.string() }),
 *   handler: async ({ orderNumber }) => ({ status: await statusOf(orderNumber) }),
 * })
 */
export function defineCapability<
  const Input extends CapabilitySchema | undefined = undefined,
  const Output extends CapabilitySchema | undefined = undefined,
  const RequiresEndUser extends boolean = false,
>(options: CapabilityOptions<Input, Output, RequiresEndUser>): CapabilityDefinition<Input, Output, RequiresEndUser> {
  const problems = problemsOf(options)
  if (problems.length > 0) throw new CapabilityDefinitionError(problems.join('\n'))
  return Object.freeze({ ...options, kind: 'svc-capability' as const })
}

interface Unchecked extends CapabilityFacts {
  readonly input?: unknown
  readonly output?: unknown
  readonly requiresEndUser?: boolean
  readonly handler: unknown
}

function problemsOf(options: Unchecked): string[] {
  if (typeof options.name !== 'string') return ['A capability has no name: give it one, such as “order-status”.']
  const nameProblem = capabilityNameProblem(options.name)
  if (nameProblem) return [nameProblem]
  const { input, output, handler, ...facts } = options
  const problems = [...factProblems(facts), ...schemaProblems('input', input), ...schemaProblems('output', output)]
  if (typeof handler !== 'function') problems.push('handler must be a function: handler(input, context).')
  return problems.map((problem) => `Capability “${options.name}”: ${problem}`)
}

function factProblems(facts: CapabilityFacts): string[] {
  const parsed = Capability.safeParse(facts)
  if (parsed.success) return []
  return Object.entries(fieldErrorsOf(parsed.error, 'definition')).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  )
}

function schemaProblems(side: 'input' | 'output', schema: unknown): string[] {
  if (schema === undefined) return []
  const advice = `${side} must be a schema (zod, valibot, arktype, …) or a plain JSON Schema object.`
  const isCandidate =
    (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) || typeof schema === 'function'
  if (!isCandidate) return [advice]
  if (!('~standard' in schema)) return typeof schema === 'function' ? [advice] : []
  const standard = schema['~standard']
  const canValidate = typeof standard === 'object' && standard !== null && 'validate' in standard
  return canValidate ? [] : [`${side} is a Standard Schema that cannot validate. ${advice}`]
}
