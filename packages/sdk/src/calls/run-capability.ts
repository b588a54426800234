import type { CapabilityCall } from '@svc/contract'
import { isStandardSchema } from '../capabilities/capability-schema.ts'
import type { AnyCapability, CapabilityContext } from '../capabilities/define-capability.ts'
import type { FailureCode } from '../errors.ts'
import { failureMessage, MAX_MESSAGE_LENGTH } from './failure-message.ts'
import { lackingPermissions, type PermissionsOf } from './lacking-permissions.ts'
import { readProperty } from './read-property.ts'
import { validateValue } from './validate-value.ts'

/** How a call ended: its output as JSON text, or a code, words for the model and, where it is the owner’s to see, the error. */
export type CallOutcome =
  | { readonly ok: true; readonly outputJson: string }
  | { readonly ok: false; readonly code: FailureCode; readonly message: string; readonly error?: unknown }

export interface CallCircumstances {
  readonly startedAt: Date
  readonly signal: AbortSignal
  readonly permissionsOf: PermissionsOf | undefined
}

/**
 * Runs one verified call: end user, permissions, input, handler, output. Never throws.
 * The control plane has validated the input before it signed the call; other callers, development tools among them, have not.
 */
export async function runCapability(
  capability: AnyCapability,
  call: CapabilityCall,
  circumstances: CallCircumstances,
): Promise<CallOutcome> {
  const { startedAt, signal, permissionsOf } = circumstances
  const { executionId, callId, metadata } = call
  const endUserToken = call.endUserToken || undefined
  const context = { executionId, callId, metadata, endUserToken, capability: capability.name, startedAt, signal }
  if (capability.requiresEndUser && endUserToken === undefined) {
    return failure(
      'end_user_required',
      `“${capability.name}” works for a signed-in user only, and nobody is signed in.`,
    )
  }
  if (signal.aborted) return abandoned()
  try {
    return await runInContext(capability, call.input, { context, permissionsOf })
  } catch (thrown) {
    return outcomeOfThrown(thrown, context)
  }
}

async function runInContext(
  capability: AnyCapability,
  given: unknown,
  { context, permissionsOf }: { context: CapabilityContext; permissionsOf: PermissionsOf | undefined },
): Promise<CallOutcome> {
  const lacking = await lackingPermissions(capability, context, permissionsOf).catch((error: unknown) => ({ error }))
  if ('error' in lacking) return outcomeOfLookUp(lacking.error, context)
  if (lacking.length > 0) {
    const needed = lacking.map((permission) => `“${permission}”`).join(' and ')
    return failure('permission_denied', `The user may not use “${capability.name}”: it needs the permission ${needed}.`)
  }
  const input = await validateValue(capability.input, given)
  if (!input.ok) return failure('input_invalid', `The input is not valid: ${input.faults}`)
  if (context.signal.aborted) return abandoned()
  return writeOutput(capability, await capability.handler(input.value, context))
}

// What a look-up throws comes from the owner’s database or log-in, and was not written for a model to read.
function outcomeOfLookUp(thrown: unknown, context: CapabilityContext): CallOutcome {
  const outcome = outcomeOfThrown(thrown, context)
  if (outcome.ok || outcome.code !== 'handler_failed') return outcome
  return { ...outcome, message: `It could not be found out whether the user may use “${context.capability}”.` }
}

// What goes out is what the output schema made of it: fields that it does not name stay here, where it drops them.
async function writeOutput(capability: AnyCapability, returned: unknown): Promise<CallOutcome> {
  const { name, output: schema } = capability
  const isJudgedAsJson = schema !== undefined && !isStandardSchema(schema)
  const output = isJudgedAsJson ? { ok: true as const, value: returned } : await validateValue(schema, returned)
  if (!output.ok) return misfit(name, output.faults)
  const written = writeJson(output.value)
  if (!written.ok) {
    const message = `“${name}” returned something that cannot be written as JSON.`
    return { ok: false, code: 'output_invalid', message, error: written.error }
  }
  if (!isJudgedAsJson) return { ok: true, outputJson: written.text }
  const sent = await validateValue(schema, JSON.parse(written.text))
  return sent.ok ? { ok: true, outputJson: written.text } : misfit(name, sent.faults)
}

function writeJson(value: unknown): { ok: true; text: string } | { ok: false; error: unknown } {
  try {
    return { ok: true, text: JSON.stringify(value) ?? 'null' }
  } catch (error) {
    return { ok: false, error }
  }
}

function misfit(name: string, faults: string): CallOutcome {
  const message = `“${name}” returned something that its output schema does not allow.`
  return { ok: false, code: 'output_invalid', message, error: new TypeError(`${message} ${faults}`) }
}

function outcomeOfThrown(thrown: unknown, { endUserToken, signal }: CapabilityContext): CallOutcome {
  const message = failureMessage(thrown, endUserToken)
  // By its code, because the error may come from another installed copy of this package.
  if (readProperty(thrown, 'code') === 'capability_error') return failure('capability_error', message)
  if (signal.aborted && isAbortion(thrown, signal)) return abandoned()
  return { ok: false, code: 'handler_failed', message, error: thrown }
}

const MAX_CAUSES = 5

// Libraries throw the signal’s reason, an AbortError of their own, or an error of theirs that was caused by either.
function isAbortion(thrown: unknown, signal: AbortSignal): boolean {
  let error = thrown
  for (let depth = 0; depth < MAX_CAUSES && error !== undefined; depth += 1) {
    if (error === signal.reason || readProperty(error, 'name') === 'AbortError') return true
    error = readProperty(error, 'cause')
  }
  return false
}

function abandoned(): CallOutcome {
  return failure('aborted', 'The call was given up: its caller left before the answer.')
}

function failure(code: FailureCode, message: string): CallOutcome {
  return { ok: false, code, message: message.slice(0, MAX_MESSAGE_LENGTH) }
}
