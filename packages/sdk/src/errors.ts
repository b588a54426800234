/**
 * Why a call failed, in the `error.code` of the endpoint’s answer. Codes stay as they are; messages may change.
 * - `end_user_required`: the capability works for a signed-in user, and the call named none
 * - `permission_denied`: the end user lacks a permission that the capability asks for
 * - `input_invalid`: the input does not fit the input schema
 * - `capability_error`: the handler threw a {@link CapabilityError}, its expected way to fail
 * - `handler_failed`: the handler threw anything else
 * - `output_invalid`: what the handler returned does not fit the output schema, or is no JSON
 * - `aborted`: the handler stopped because the caller had left
 * - `approval_required`: a person has to approve the call first, and nobody has
 * - `preview_changed`: the call was approved, and would now do something else than its preview said
 * - `outcome_unknown`: the call was begun earlier, and how it ended is not known; it was not run again
 * - `call_id_reused`: another call has the same `callId`; this one did not run
 * - `never_run`: the service was told that this call was never begun, so that it may not begin any more
 */
export type FailureCode =
  | 'end_user_required'
  | 'permission_denied'
  | 'input_invalid'
  | 'capability_error'
  | 'handler_failed'
  | 'output_invalid'
  | 'aborted'
  | 'approval_required'
  | 'preview_changed'
  | 'outcome_unknown'
  | 'call_id_reused'
  | 'never_run'

/** A capability or a runtime was defined wrongly. The message names the capability and the way out. */
export class CapabilityDefinitionError extends TypeError {
  override readonly name = 'CapabilityDefinitionError'
  readonly code = 'capability_definition'
}

/**
 * A capability’s expected failure, in words for the model and for anonymous callers. The message of no other error leaves the owner’s
 * server. It is an ordinary outcome and is not given to `onError`.
 * @example
 * if (stock < quantity) throw new CapabilityError(`There are only ${stock} left.`)
 */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError'
  readonly code = 'capability_error'
}

/** The nonce store holds as many unexpired nonces as it may. The call is refused: to forget one would let it be replayed. */
export class NonceStoreFullError extends Error {
  override readonly name = 'NonceStoreFullError'
  readonly code = 'nonce_store_full'
}

/** The effect store remembers as many calls as it may. The call is refused: to forget one could let it take effect twice. */
export class EffectStoreFullError extends Error {
  override readonly name = 'EffectStoreFullError'
  readonly code = 'effect_store_full'
}
