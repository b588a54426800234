/**
 * Why a call failed, in the `error.code` of the endpoint’s answer. Codes stay as they are; messages may change.
 * - `end_user_required`: the capability works for a signed-in user, and the call named none
 * - `permission_denied`: the end user lacks a permission that the capability asks for
 * - `input_invalid`: the input does not fit the input schema
 * - `capability_error`: the handler threw a {@link CapabilityError}, its expected way to fail
 * - `handler_failed`: the handler threw anything else
 * - `output_invalid`: what the handler returned does not fit the output schema, or is no JSON
 * - `aborted`: the handler stopped because the caller had left
 */
export type FailureCode =
  | 'end_user_required'
  | 'permission_denied'
  | 'input_invalid'
  | 'capability_error'
  | 'handler_failed'
  | 'output_invalid'
  | 'aborted'

/** A capability or a runtime was defined wrongly. The message names the capability and the way out. */
export class CapabilityDefinitionError extends TypeError {
  override readonly name = 'CapabilityDefinitionError'
  readonly code = 'capability_definition'
}

/**
 * A capability’s expected failure, in words for the model and for strangers. The message of no other error leaves the owner’s
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
