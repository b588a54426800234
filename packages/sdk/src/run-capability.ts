import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { CapabilityCall } from '@svc/contract'
import { type CapabilitySchema, isStandardSchema } from './capability-schema.ts'
import type { AnyCapability, CapabilityContext } from './define-capability.ts'
import { CapabilityError } from './errors.ts'
import { failureMessage } from './failure-message.ts'

/** How a call ended: its output as JSON text, or words for the model and, where it is the owner’s to see, the error. */
export type CallOutcome =
  | { readonly ok: true; readonly outputJson: string }
  | { readonly ok: false; readonly message: string; readonly error?: unknown }

export interface CallCircumstances {
  readonly startedAt: Date
  readonly signal: AbortSignal
}

/**
 * Runs one verified call: end user, input, handler, output. Never throws.
 * Input is validated by a Standard Schema, which may transform it. Plain JSON Schema is not looked at here: the control
 * plane has validated the input against it before it signed the call.
 */
export async function runCapability(
  capability: AnyCapability,
  call: CapabilityCall,
  circumstances: CallCircumstances,
): Promise<CallOutcome> {
  const endUserToken = call.endUserToken || undefined
  if (capability.requiresEndUser && endUserToken === undefined) {
    return { ok: false, message: `“${capability.name}” works for a signed-in user only, and nobody is signed in.` }
  }
  try {
    const input = await validate(capability.input, call.input)
    if (!input.ok) return { ok: false, message: `The input is not valid: ${input.issues}` }
    const { executionId, callId, metadata } = call
    const context: CapabilityContext = {
      ...{ executionId, callId, metadata, endUserToken, capability: capability.name },
      ...circumstances,
    }
    return await writeOutput(capability, await capability.handler(input.value, context))
  } catch (error) {
    const message = failureMessage(error, endUserToken)
    return isExpected(error) ? { ok: false, message } : { ok: false, message, error }
  }
}

type Validation = { ok: true; value: unknown } | { ok: false; issues: string }

async function validate(schema: CapabilitySchema | undefined, value: unknown): Promise<Validation> {
  if (schema === undefined || !isStandardSchema(schema)) return { ok: true, value }
  const result = await schema['~standard'].validate(value)
  return result.issues ? { ok: false, issues: readable(result.issues) } : { ok: true, value: result.value }
}

// What goes out is what the output schema made of it: fields that it does not name stay here, where it drops them.
async function writeOutput(capability: AnyCapability, returned: unknown): Promise<CallOutcome> {
  const output = await validate(capability.output, returned)
  if (!output.ok) {
    const message = `“${capability.name}” returned something that its output schema does not allow.`
    return { ok: false, message, error: new TypeError(`${message} ${output.issues}`) }
  }
  try {
    return { ok: true, outputJson: JSON.stringify(output.value) ?? 'null' }
  } catch (error) {
    return { ok: false, message: `“${capability.name}” returned something that cannot be written as JSON.`, error }
  }
}

const MAX_ISSUES = 10

function readable(issues: readonly StandardSchemaV1.Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => {
    const path = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return path ? `${path}: ${issue.message}` : issue.message
  })
  const omitted = issues.length - lines.length
  return omitted > 0 ? `${lines.join('; ')}; and ${omitted} more` : lines.join('; ')
}

// By name, because the error may come from another installed copy of this package.
function isExpected(error: unknown): boolean {
  return error instanceof CapabilityError || (error instanceof Error && error.name === 'CapabilityError')
}
