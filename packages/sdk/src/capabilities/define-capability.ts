import {
  Capability,
  type CapabilityEffect,
  capabilityNameProblem,
  type EndUser,
  fieldErrorsOf,
  type JsonObject,
  type Preview,
} from '@svc/contract'
import { CapabilityDefinitionError } from '../errors.ts'
import type { CapabilitySchema, HandlerInput, HandlerOutput, NoShape } from './capability-schema.ts'
import { schemaProblems } from './schema-problems.ts'

/** What a handler learns about the call that it answers. */
export interface CapabilityContext<RequiresEndUser extends boolean = boolean> {
  /** The execution that the call belongs to, `exec_…`: several calls share one. */
  readonly executionId: string
  /** The same on a second try of the same call: the key to make an effect happen once. */
  readonly callId: string
  /** The capability’s own name. */
  readonly capability: string
  /** When the call was verified. */
  readonly startedAt: Date
  /**
   * Whatever the owner’s own log-in issued, untouched; a string for certain where `requiresEndUser` is true. Where
   * `endUser` says who it is instead, it is `svc-end-user:` and a hash of issuer and subject there, which is no credential.
   */
  readonly endUserToken: RequiresEndUser extends true ? string : string | undefined
  /**
   * Who signed in at the issuer of `endUsers` in the configuration, as the token that the service verified says. Only calls of
   * MCP clients have it.
   */
  readonly endUser?: EndUser | undefined
  /** What the page or the caller sent along. Anybody can write it, and it is recorded in traces. */
  readonly metadata: JsonObject
  /** Aborts when the caller leaves before the answer. Hand it to `fetch` and the like: what they then throw is no fault. */
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
  /** True: still served, and published as on its way out. */
  readonly deprecated?: boolean | undefined
  /** The version that deprecated it; required where `deprecated` is true. */
  readonly deprecatedSince?: string | undefined
  /** The earliest version without it. */
  readonly removalNotBefore?: string | undefined
  /**
   * What a call does: nothing (`read`), a change (`write`), or one that cannot be taken back (`destructive`). Default `write`.
   * Calls that do something are recorded where the runtime has `effects`.
   */
  readonly effect?: CapabilityEffect | undefined
  /** True: a person approves each call before it runs, unless its preview says `confirm: false`. */
  readonly confirm?: boolean | undefined
}

/** A capability as its owner writes it. `Permission` is the union of the permissions that it asks for. */
export interface CapabilityOptions<Input, Output, RequiresEndUser extends boolean, Permission extends string = string>
  extends CapabilityFacts {
  /** Describes the input, which is always an object. Without it the model is told that there are no parameters. */
  readonly input?: Input
  /** Describes what the handler returns. What does not fit fails the call with `output_invalid`. */
  readonly output?: Output
  /** True: calls without an end-user token and without `endUser` are refused before the handler runs. */
  readonly requiresEndUser?: RequiresEndUser
  /** What the end user must be allowed, in words of your own: `orders:refund`. See `permissionsOf` of `createHandler`. */
  readonly permissions?: readonly Permission[]
  /** Does the work. What it throws fails the call; the model reads the message of a {@link CapabilityError} alone. */
  handler(
    input: HandlerInput<Input>,
    context: CapabilityContext<RequiresEndUser>,
  ): HandlerOutput<Output> | Promise<HandlerOutput<Output>>
  /**
   * Says what a call of this input would do, and must not do it. A person approves what it says; the handler then runs only
   * if it still says the same. Leave out what changes by itself, such as the time.
   */
  preview?(input: HandlerInput<Input>, context: CapabilityContext<RequiresEndUser>): Preview | Promise<Preview>
}

/** A defined capability. Its handler keeps its types, so that it can be called from the owner’s own tests. */
export interface CapabilityDefinition<
  Input,
  Output,
  RequiresEndUser extends boolean,
  Permission extends string = string,
> extends CapabilityOptions<Input, Output, RequiresEndUser, Permission> {
  readonly kind: 'svc-capability'
}

/** Any defined capability, whatever its schemas. */
export interface AnyCapability extends CapabilityFacts {
  /** Tells a capability from other values, also where another copy of this package made it. */
  readonly kind: 'svc-capability'
  readonly input?: CapabilitySchema | undefined
  readonly output?: CapabilitySchema | undefined
  readonly requiresEndUser?: boolean
  readonly permissions?: readonly string[]
  handler(input: unknown, context: CapabilityContext): unknown
  preview?(input: unknown, context: CapabilityContext): unknown
}

/**
 * Defines one capability. The handler’s types follow from the schemas.
 * Throws {@link CapabilityDefinitionError} with a line for everything that is wrong: name, version, schemas, permissions.
 * @example
 * defineCapability({
 *   name: 'order-status',
 *   version: '1.0.0',
 *   input: z.object({ orderNumber: z.string() }),
 *   handler: async ({ orderNumber }) => ({ status: await statusOf(orderNumber) }),
 * })
 * @example
 * defineCapability({
 *   name: 'refund',
 *   version: '1.0.0',
 *   input: { type: 'object', properties: { orderNumber: { type: 'string' } }, required: ['orderNumber'] },
 *   requiresEndUser: true,
 *   permissions: ['orders:refund'],
 *   effect: 'destructive',
 *   confirm: true,
 *   preview: ({ orderNumber }) => ({ title: `Refund order ${orderNumber}` }),
 *   handler: ({ orderNumber }, { endUserToken, signal }) => refund(orderNumber, { endUserToken, signal }),
 * })
 */
export function defineCapability<
  const Input extends CapabilitySchema | undefined = undefined,
  const Output extends CapabilitySchema | undefined = undefined,
  const RequiresEndUser extends boolean = false,
  const Permission extends string = never,
>(
  options: CapabilityOptions<Input, Output, RequiresEndUser, Permission> & Shapeless<Input, Output>,
): CapabilityDefinition<Input, Output, RequiresEndUser, Permission> {
  const problems = problemsOf(options)
  if (problems.length > 0) throw new CapabilityDefinitionError(problems.join('\n'))
  const { permissions } = options
  return Object.freeze({
    ...options,
    ...(permissions && { permissions: Object.freeze([...permissions]) }),
    kind: 'svc-capability' as const,
  })
}

interface Shapeless<Input, Output> {
  readonly input?: NoShape<Input>
  readonly output?: NoShape<Output>
}

interface Unchecked extends CapabilityFacts {
  readonly input?: unknown
  readonly output?: unknown
  readonly requiresEndUser?: boolean
  readonly permissions?: unknown
  readonly handler: unknown
  readonly preview?: unknown
}

function problemsOf(options: Unchecked): string[] {
  if (typeof options.name !== 'string') return ['A capability has no name: give it one, such as “order-status”.']
  const nameProblem = capabilityNameProblem(options.name)
  if (nameProblem) return [nameProblem]
  const { input, output, handler, preview, permissions, ...facts } = options
  const problems = [
    ...factProblems(facts),
    ...schemaProblems('input', input),
    ...schemaProblems('output', output),
    ...permissionProblems(permissions),
  ]
  if (typeof handler !== 'function') problems.push('handler must be a function: handler(input, context).')
  if (preview !== undefined && typeof preview !== 'function') {
    problems.push('preview must be a function: preview(input, context).')
  }
  return problems.map((problem) => `Capability “${options.name}”: ${problem}`)
}

function factProblems(facts: CapabilityFacts): string[] {
  const parsed = Capability.safeParse(facts)
  if (parsed.success) return []
  return Object.entries(fieldErrorsOf(parsed.error, 'definition')).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  )
}

function permissionProblems(permissions: unknown): string[] {
  if (permissions === undefined) return []
  if (!Array.isArray(permissions)) return ['permissions must be a list, such as [“orders:refund”].']
  const given: readonly unknown[] = permissions
  return given.flatMap((permission, index) => {
    if (typeof permission !== 'string' || permission.trim() === '') return [`permissions.${index} must be a text.`]
    return given.indexOf(permission) < index ? [`permissions.${index} repeats “${permission}”: remove it.`] : []
  })
}
