import { bodyDigest, type CapabilityCall } from '@svc/contract'
import type { AnyCapability, CapabilityContext } from '../capabilities/define-capability.ts'
import type { FailureCode } from '../errors.ts'
import { approvalProblem, makePreview } from './check-approval.ts'
import { failureMessage, MAX_MESSAGE_LENGTH } from './failure-message.ts'
import { lackingPermissions, type PermissionsOf } from './lacking-permissions.ts'
import { readProperty } from './read-property.ts'
import { validateValue } from './validate-value.ts'
import { writeOutput } from './write-output.ts'

/** How a call ended: its output as JSON text with what stands under its key `svc`, or a code, words for the model and, where it is the owner’s to see, the error. */
export type CallOutcome = { readonly ok: true; readonly outputJson: string; readonly reserved: unknown } | FailedOutcome

export interface FailedOutcome {
  readonly ok: false
  readonly code: FailureCode
  readonly message: string
  readonly error?: unknown
}

export interface CallCircumstances {
  readonly startedAt: Date
  readonly signal: AbortSignal
  readonly permissionsOf: PermissionsOf | undefined
  /** Whether the message of every thrown error leaves the owner’s server. */
  readonly exposeErrors: boolean
}

/**
 * Runs one verified call: end user, permissions, input, approval, handler, output. With `mode: "preview"` it makes the
 * preview in place of the last three. Never throws.
 * The control plane has validated the input before it signed the call; other callers, development tools among them, have not.
 */
export async function runCapability(
  capability: AnyCapability,
  call: CapabilityCall,
  circumstances: CallCircumstances,
): Promise<CallOutcome> {
  const { startedAt, signal } = circumstances
  const { executionId, callId, metadata, endUser } = call
  const endUserToken = await endUserTokenOf(capability, call)
  const context = {
    executionId,
    callId,
    metadata,
    endUserToken,
    endUser,
    capability: capability.name,
    startedAt,
    signal,
  }
  if (capability.requiresEndUser && endUserToken === undefined) {
    return failure(
      'end_user_required',
      `“${capability.name}” works for a signed-in user only, and nobody is signed in.`,
    )
  }
  if (signal.aborted) return abandoned()
  try {
    return await runInContext(capability, call, { ...circumstances, context })
  } catch (thrown) {
    return outcomeOfThrown(thrown, { ...circumstances, context })
  }
}

/** Begins what stands for the token of a user whom the service verified. Callers could guess the rest. */
const RESERVED_PREFIX = 'svc-end-user:'

// Never one text for all such users: handlers may keep what they know of a user by the token.
async function endUserTokenOf(
  { requiresEndUser }: AnyCapability,
  { endUserToken, endUser }: CapabilityCall,
): Promise<string | undefined> {
  if (endUserToken && !endUserToken.startsWith(RESERVED_PREFIX)) return endUserToken
  if (!requiresEndUser || !endUser) return undefined
  const user = JSON.stringify([endUser.issuer, endUser.subject])
  return `${RESERVED_PREFIX}${await bodyDigest(new TextEncoder().encode(user))}`
}

interface Running extends CallCircumstances {
  readonly context: CapabilityContext
}

async function runInContext(capability: AnyCapability, call: CapabilityCall, running: Running): Promise<CallOutcome> {
  const { context, permissionsOf } = running
  const lacking = await lackingPermissions(capability, context, permissionsOf).catch((error: unknown) => ({ error }))
  if ('error' in lacking) return outcomeOfLookUp(lacking.error, running)
  if (lacking.length > 0) {
    const needed = lacking.map((permission) => `“${permission}”`).join(' and ')
    return failure('permission_denied', `The user may not use “${capability.name}”: it needs the permission ${needed}.`)
  }
  const input = await validateValue(capability.input, call.input)
  if (!input.ok) return failure('input_invalid', `The input is not valid: ${input.faults}`)
  if (call.mode === 'preview') return previewOutcome(capability, input.value, context)
  const problem = await approvalProblem(capability, call, { input: input.value, context })
  if (problem) return problem
  if (context.signal.aborted) return abandoned()
  const written = await writeOutput(capability, await capability.handler(input.value, context))
  if (!written.ok) return { ...written, code: 'output_invalid' }
  return { ok: true, outputJson: written.json, reserved: written.reserved }
}

async function previewOutcome(
  capability: AnyCapability,
  input: unknown,
  context: CapabilityContext,
): Promise<CallOutcome> {
  const made = await makePreview(capability, input, context)
  return made.ok ? { ok: true, outputJson: JSON.stringify(made.preview), reserved: undefined } : made
}

// What a look-up throws comes from the owner’s database or log-in, and was not written for a model to read.
function outcomeOfLookUp(thrown: unknown, running: Running): CallOutcome {
  const outcome = outcomeOfThrown(thrown, running)
  if (outcome.ok || outcome.code !== 'handler_failed') return outcome
  return { ...outcome, message: `It could not be found out whether the user may use “${running.context.capability}”.` }
}

function outcomeOfThrown(thrown: unknown, { context, exposeErrors }: Running): CallOutcome {
  const { callId, endUserToken, signal } = context
  const message = failureMessage(thrown, endUserToken)
  // By its code, because the error may come from another installed copy of this package.
  if (readProperty(thrown, 'code') === 'capability_error') return failure('capability_error', message)
  if (signal.aborted && isAbortion(thrown, signal)) return abandoned()
  // Words of libraries and databases were not written for a model or an anonymous caller to read.
  const shown = exposeErrors ? message : `The capability failed. Its callId is ${callId}.`
  return { ok: false, code: 'handler_failed', message: shown, error: thrown }
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
