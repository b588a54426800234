import { decodeJwt } from 'jose'

/**
 * Identifies the end user across renewed tokens: issuer and subject of a JWT, else the token itself. Nothing is verified, so
 * it must not decide on access.
 */
export function tokenSubject(token: string): string {
  try {
    const { iss, sub } = decodeJwt(token)
    if (typeof sub === 'string' && sub !== '') return JSON.stringify([typeof iss === 'string' ? iss : null, sub])
  } catch {
    // Most tokens are not JWTs.
  }
  return token
}
