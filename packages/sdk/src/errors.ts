/** A capability or a runtime was defined wrongly. The message names the capability and the way out. */
export class CapabilityDefinitionError extends TypeError {
  override readonly name = 'CapabilityDefinitionError'
}

/**
 * A capability’s expected failure, in words for the model: “There are only 3 left.”
 * Any thrown error’s message reaches the model; this one is an ordinary outcome and is not given to `onError`.
 */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError'
}

/** The nonce store holds as many unexpired nonces as it may. The call is refused: to forget one would let it be replayed. */
export class NonceStoreFullError extends Error {
  override readonly name = 'NonceStoreFullError'
}
