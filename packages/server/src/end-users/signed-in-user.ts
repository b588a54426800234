import type { Secret } from '../secrets/secret.ts'

/** Who signed in, as a verified token says. Personal data: it is not stored, and prints as a secret does. */
export interface SignedInUser {
  /** What the endpoint is told, JSON text. */
  told: Secret
  /** Issuer and subject. A hash of it may be stored. */
  principal: Secret
  /** The settings that the token was verified by, JSON text. */
  acceptedBy: string
}
